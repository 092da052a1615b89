import type { PersistentVolumeClaim, Pod } from '@kubevirt-ts/api'
import { isGateEnabled } from '@kubevirt-ts/virt-config'
import { claimName, isHotplugVolume, tscNeed } from '@kubevirt-ts/vmispec'
import { isFinished, isTerminating } from '../pod-state.ts'
import { isReceiver } from '../receiver.ts'
import { claimState } from '../storage/claim-state.ts'
import type { ClaimState } from '../storage/claim-state.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { stateAction } from './state-claim.ts'
import type { Seen } from './seen.ts'

/** What to do with launcher pods. */
export interface PodActions {
  readonly create: boolean
  /** A pod that stands in for the launcher while claims are filled. */
  readonly createTemporary?: boolean
  /** The claim for the state of the guest's TPM and firmware. */
  readonly createState?: PersistentVolumeClaim
  readonly remove: readonly Pod[]
  readonly problem?: Problem
}

const nothing: PodActions = { create: false, remove: [] }

/** Decides over the launcher pods of the VMI: at most one is created, and only before any was. */
export function podActions(seen: Seen): PodActions {
  const { vmi } = seen
  const all = [...seen.pods, ...seen.temporaryPods]
  if (vmi.metadata.deletionTimestamp !== undefined) return { create: false, remove: removable(all) }
  const phase = vmi.status?.phase ?? ''
  if (phase === 'WaitingForSync') return { ...nothing, ...claimProblems(seen) }
  if (phase !== '' && phase !== 'Pending') return { create: false, remove: removable(seen.temporaryPods) }
  if (seen.pods.length > 0 || !seen.podsSettled) return nothing
  const unusable = claimProblems(seen)
  if (unusable !== undefined) return { ...nothing, ...unusable }
  // Its pod is the target of the move that brings the guest.
  if (isReceiver(vmi)) return nothing
  const states = startClaims(seen).map((name) => claimState(name, seen))
  if (states.includes('importing')) return nothing
  const isTemporary = states.includes('importConsumer')
  if (seen.temporaryPods.length > 0) return isTemporary ? nothing : { create: false, remove: done(seen.temporaryPods) }
  const folders = folderProblem(seen)
  if (folders !== undefined) return { ...nothing, problem: folders }
  const clock = clockProblem(seen)
  if (clock !== undefined) return { ...nothing, ...clock }
  const state = stateAction(seen)
  if (state === 'ready') return { create: !isTemporary, createTemporary: isTemporary, remove: [] }
  return 'create' in state ? { ...nothing, createState: state.create } : { ...nothing, problem: state.problem }
}

/** A guest whose clock depends on the frequency gets it written down first; to move is no reason to wait for one. */
function clockProblem({ vmi, lowestFrequency }: Seen): { readonly problem?: Problem } | undefined {
  const need = tscNeed(vmi)
  if (need === 'none' || vmi.status?.topologyHints?.tscFrequency !== undefined) return undefined
  if (lowestFrequency() !== undefined) return {}
  if (need === 'migration') return undefined
  const message =
    'no node tells the frequency of its time stamp counter, which CPU feature invtsc needs; set minimumClusterTSCFrequency of the KubeVirt resource or remove the feature'
  return { problem: { reason: reason.noTopologyHints, message, retry: true } }
}

/** Folders of a container are shared only where the cluster allows it: whoever made the pod's containers chose what is in them. */
function folderProblem({ vmi, configuration }: Seen): Problem | undefined {
  const volume = (vmi.spec.volumes ?? []).find(({ containerPath }) => containerPath !== undefined)
  if (volume === undefined || isGateEnabled(configuration, 'ContainerPathVolumes')) return undefined
  const message = `volume ${volume.name} is a containerPath, which needs the feature gate ContainerPathVolumes of the KubeVirt resource`
  return { reason: reason.containerPathsDisabled, message, retry: false }
}

/** A stand-in that still starts has not told the scheduler's choice yet. */
function done(pods: readonly Pod[]): Pod[] {
  return removable(pods).filter((pod) => isFinished(pod) || pod.status?.phase === 'Running')
}

const removable = (pods: readonly Pod[]): Pod[] => pods.filter((pod) => !isTerminating(pod))

/** Whether a DataVolume that the guest starts with could not be filled, and which. */
export function failedImport(seen: Seen): string | undefined {
  return startClaims(seen).find((name) => claimState(name, seen) === 'importFailed')
}

/** Claims that the guest starts with; those of volumes that are plugged in later are no matter of its start. */
function startClaims({ vmi }: Seen): string[] {
  const volumes = (vmi.spec.volumes ?? []).filter((volume) => !isHotplugVolume(volume))
  return [...new Set(volumes.flatMap((volume) => claimName(volume) ?? []))]
}

function claimProblems(seen: Seen): { readonly problem: Problem } | undefined {
  for (const name of startClaims(seen)) {
    const problem = claimProblem(name, claimState(name, seen), seen)
    if (problem !== undefined) return { problem }
  }
  return undefined
}

/** Why a claim keeps the guest from starting; that it is still being filled is no problem. */
function claimProblem(name: string, state: ClaimState, { vmi, claim }: Seen): Problem | undefined {
  const named = `PVC ${vmi.metadata.namespace}/${name}`
  const problem = (why: string, message: string): Problem => ({ reason: why, message, retry: false })
  switch (state) {
    case 'missing':
      return problem(reason.failedPvcNotFound, `${named} does not exist, waiting for it to appear`)
    case 'unbound':
      return problem(reason.pvcNotReady, `${named} is not bound: ${whyUnbound(claim(name))}`)
    case 'lost':
      return problem(reason.pvcNotReady, `${named} has lost its persistent volume`)
    case 'importFailed':
      return problem(reason.failedDataVolumeImport, `DataVolume ${vmi.metadata.namespace}/${name} failed`)
    default:
      return undefined
  }
}

function whyUnbound(claim: PersistentVolumeClaim | undefined): string {
  const storageClass = claim?.spec?.storageClassName
  return storageClass
    ? `storage class ${storageClass} has made no volume for it yet`
    : 'no persistent volume fits it yet'
}
