import { compareQuantity, type PersistentVolumeClaim, type Pod } from '@kubevirt-ts/api'
import { labelMatcher } from '../labels/label-selector.ts'
import { nodeSelectorTest } from '../labels/node-selector.ts'
import { claimNameOf, volumesOf } from '../pod/pod.ts'
import { prepared, refused, skipped, type FilterRule } from '../rule.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { classOf, type SchedulingStorageClass, type SchedulingVolumeObject, type Volumes } from '../snapshot/volumes.ts'
import { success, unresolvable, type Verdict } from '../verdict.ts'

const reason = {
  nodeConflict: "node(s) didn't match PersistentVolume's node affinity",
  bindConflict: "node(s) didn't find available persistent volumes to bind",
  volumeMissing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const

const selectedNode = 'volume.kubernetes.io/selected-node'
const bindCompleted = 'pv.kubernetes.io/bind-completed'

/** A claim, and the volume that it would get. */
export interface StaticBinding {
  readonly claim: PersistentVolumeClaim
  readonly volume: SchedulingVolumeObject
}

/** What has to happen to the pod's claims before it can run on a node. */
export interface VolumePlan {
  readonly bindings: readonly StaticBinding[]
  /** Claims whose volumes have to be made for the node. */
  readonly provisions: readonly PersistentVolumeClaim[]
}

export interface VolumeBindingState {
  readonly volumes: Volumes
  readonly bound: readonly PersistentVolumeClaim[]
  /** Smallest first, so that they leave the larger volumes to others. */
  readonly delayed: readonly PersistentVolumeClaim[]
}

/** Keeps pods to nodes that reach their volumes, or where volumes for their claims can be found or made. */
export const volumeBinding: FilterRule<VolumeBindingState> = {
  name: 'VolumeBinding',
  prepare: ({ pod }, { volumes }) => {
    const claims = claimsOf(pod, volumes)
    if (typeof claims === 'string') return refused(unresolvable(claims))
    if (claims.length === 0) return skipped
    const bound = claims.filter(isBound)
    const unbound = claims.filter((claim) => !isBound(claim))
    if (unbound.some((claim) => !isDelayed(claim, volumes))) {
      return refused(unresolvable('pod has unbound immediate PersistentVolumeClaims'))
    }
    return prepared({ volumes, bound, delayed: unbound.toSorted(bySize) })
  },
  filter: (state, node) => {
    const plan = planVolumes(state, node)
    return 'code' in plan ? plan : success
  },
}

/** The bindings and provisions that make the node fit, or why it cannot. */
export function planVolumes(state: VolumeBindingState, node: NodeInfo): VolumePlan | Verdict {
  const reasons: string[] = []
  const problem = problemOfBound(state, node)
  const plan = planDelayed(state, node)
  if (problem === 'nodeConflict') reasons.push(reason.nodeConflict)
  if (plan === undefined) reasons.push(reason.bindConflict)
  if (problem === 'volumeMissing') reasons.push(reason.volumeMissing)
  return plan === undefined || reasons.length > 0 ? unresolvable(...reasons) : plan
}

function problemOfBound({ bound, volumes }: VolumeBindingState, node: NodeInfo): keyof typeof reason | undefined {
  for (const claim of bound) {
    const volume = volumes.volume(claim.spec?.volumeName ?? '')
    if (volume === undefined) return 'volumeMissing'
    if (!isReachable(volume, node)) return 'nodeConflict'
  }
  return undefined
}

function planDelayed({ delayed, volumes }: VolumeBindingState, node: NodeInfo): VolumePlan | undefined {
  const bindings: StaticBinding[] = []
  const provisions: PersistentVolumeClaim[] = []
  for (const claim of delayed) {
    const chosen = claim.metadata.annotations?.[selectedNode]
    if (chosen !== undefined && chosen !== node.name) return undefined
    const taken = new Set(bindings.map(({ volume }) => volume.metadata.name))
    const volume = chosen === undefined ? findVolume(claim, volumes, node, taken) : undefined
    if (volume !== undefined) bindings.push({ claim, volume })
    else if (canProvision(volumes.storageClass(classOf(claim)), node)) provisions.push(claim)
    else return undefined
  }
  return { bindings, provisions }
}

/** The volume that was reserved for the claim, or the smallest free one that will do. */
function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Volumes,
  node: NodeInfo,
  taken: ReadonlySet<string>,
): SchedulingVolumeObject | undefined {
  const candidates = volumes
    .volumesOfClass(classOf(claim))
    .filter((volume) => !taken.has(volume.metadata.name) && isAlike(claim, volume))
  const reserved = candidates.find((volume) => isReservedFor(volume, claim))
  if (reserved !== undefined) return isReachable(reserved, node) ? reserved : undefined
  const selector = claim.spec?.selector
  const selects = selector ? labelMatcher(selector) : undefined
  return candidates
    .filter(
      ({ spec, status, metadata }) =>
        !spec?.claimRef && status?.phase === 'Available' && selects?.matches(metadata.labels) !== false,
    )
    .filter((volume) => isReachable(volume, node) && hasModes(claim, volume))
    .toSorted((a, b) => compareQuantity(sizeOf(a), sizeOf(b)))[0]
}

function isAlike(claim: PersistentVolumeClaim, { metadata, spec }: SchedulingVolumeObject): boolean {
  const wanted = claim.spec?.resources?.requests?.['storage'] ?? 0
  return (
    metadata.deletionTimestamp === undefined &&
    compareQuantity(spec?.capacity?.['storage'] ?? 0, wanted) >= 0 &&
    (spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem')
  )
}

function isReservedFor({ spec }: SchedulingVolumeObject, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {}
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid)
}

function hasModes(claim: PersistentVolumeClaim, { spec }: SchedulingVolumeObject): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode))
}

function isReachable({ spec }: SchedulingVolumeObject, { node }: NodeInfo): boolean {
  const required = spec?.nodeAffinity?.required
  return required === undefined || nodeSelectorTest(required)(node)
}

function canProvision(storageClass: SchedulingStorageClass | undefined, { labels }: NodeInfo): boolean {
  if (!storageClass?.provisioner || storageClass.provisioner === 'kubernetes.io/no-provisioner') return false
  const topologies = storageClass.allowedTopologies ?? []
  return (
    topologies.length === 0 ||
    topologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => labels[key] !== undefined && values.includes(labels[key])),
    )
  )
}

/** A text tells what is wrong with one of them. */
function claimsOf(pod: Pod, volumes: Volumes): readonly PersistentVolumeClaim[] | string {
  const claims: PersistentVolumeClaim[] = []
  for (const volume of volumesOf(pod)) {
    const name = claimNameOf(pod, volume)
    if (name === undefined) continue
    const claim = volumes.claim(pod.metadata.namespace ?? '', name)
    if (claim === undefined && volume.ephemeral) {
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    }
    const problem = claim === undefined ? `persistentvolumeclaim "${name}" not found` : problemOfClaim(claim)
    if (problem !== undefined) return problem
    claims.push(claim!)
  }
  return claims
}

function problemOfClaim({ metadata, spec, status }: PersistentVolumeClaim): string | undefined {
  if (status?.phase === 'Lost') {
    return `persistentvolumeclaim "${metadata.name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ''}"`
  }
  return metadata.deletionTimestamp ? `persistentvolumeclaim "${metadata.name}" is being deleted` : undefined
}

function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[bindCompleted] !== undefined
}

function isDelayed(claim: PersistentVolumeClaim, volumes: Volumes): boolean {
  return !claim.spec?.volumeName && volumes.storageClass(classOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer'
}

function bySize(a: PersistentVolumeClaim, b: PersistentVolumeClaim): number {
  const storage = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.['storage'] ?? 0
  return compareQuantity(storage(a), storage(b))
}

function sizeOf({ spec }: SchedulingVolumeObject): string | number {
  return spec?.capacity?.['storage'] ?? 0
}
