import { claimNameOf, volumesOf, type SchedulingVolume } from '../pod/pod.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { prepared, refused, skipped, type FilterRule } from '../rule.ts'
import { success, unresolvable, unschedulable } from '../verdict.ts'

const diskConflict = unschedulable('node(s) had no available disk')
const claimConflict = unschedulable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
)

interface State {
  readonly disks: readonly SchedulingVolume[]
  /** Keys of claims that one pod may use at a time. */
  readonly exclusive: ReadonlySet<string>
  /** How often other pods use them. */
  inUse: number
}

/** Keeps pods from disks that another pod holds. */
export const volumeRestrictions: FilterRule<State> = {
  name: 'VolumeRestrictions',
  prepare: (info, snapshot) => {
    const { pod } = info
    const namespace = pod.metadata.namespace ?? ''
    const exclusive = new Set<string>()
    for (const volume of volumesOf(pod)) {
      if (!volume.persistentVolumeClaim) continue
      const name = claimNameOf(pod, volume)!
      const claim = snapshot.volumes.claim(namespace, name)
      if (claim === undefined) return refused(unresolvable(`persistentvolumeclaim "${name}" not found`))
      if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) exclusive.add(`${namespace}/${name}`)
    }
    const disks = volumesOf(pod).filter(isExclusiveDisk)
    const inUse = [...exclusive].filter((key) => snapshot.isClaimInUse(key)).length
    return disks.length === 0 && inUse === 0 ? skipped : prepared({ disks, exclusive, inUse })
  },
  filter: ({ disks, inUse }, { pods }) => {
    if (disks.some((disk) => pods.some(({ pod }) => volumesOf(pod).some((other) => doConflict(disk, other))))) {
      return diskConflict
    }
    return inUse > 0 ? claimConflict : success
  },
  addPod: (state, added) => change(state, added, 1),
  removePod: (state, removed) => change(state, removed, -1),
  clone: (state) => ({ ...state }),
}

function change(state: State, { claims }: PodInfo, sign: 1 | -1): void {
  state.inUse += sign * claims.filter((key) => state.exclusive.has(key)).length
}

function isExclusiveDisk({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: SchedulingVolume): boolean {
  return Boolean(gcePersistentDisk ?? awsElasticBlockStore ?? rbd ?? iscsi)
}

/** Several readers may share a disk, except of the kind that even readers hold alone. */
function doConflict(a: SchedulingVolume, b: SchedulingVolume): boolean {
  return (
    isSame(a.gcePersistentDisk, b.gcePersistentDisk, ({ pdName }, other) => pdName === other.pdName) ||
    (a.awsElasticBlockStore !== undefined && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore?.volumeID) ||
    isSame(a.iscsi, b.iscsi, ({ iqn }, other) => iqn === other.iqn) ||
    isSame(
      a.rbd,
      b.rbd,
      (rbd, other) =>
        rbd.monitors.some((monitor) => other.monitors.includes(monitor)) &&
        (rbd.pool ?? 'rbd') === (other.pool ?? 'rbd') &&
        rbd.image === other.image,
    )
  )
}

function isSame<T extends { readonly readOnly?: boolean }>(
  a: T | undefined,
  b: T | undefined,
  same: (a: T, b: T) => boolean,
): boolean {
  return a !== undefined && b !== undefined && same(a, b) && !(a.readOnly === true && b.readOnly === true)
}
