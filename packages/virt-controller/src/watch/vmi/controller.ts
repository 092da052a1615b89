import { annotation } from '@kubevirt-ts/api'
import type {
  DataVolume,
  KubeVirt,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { controllerOf, keyFor, keyOf, priority, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { claimName } from '@kubevirt-ts/vmispec'
import { skipsBackupHooks } from '../../services/template/index.ts'
import type { Deps } from './deps.ts'
import { patiently } from '../lost-race.ts'
import { foundGuest } from '../settled.ts'
import { isFreed, isRefused } from './freed-quota.ts'
import { reconcile } from './reconcile.ts'
import { stateOf } from './state-claim.ts'

/** The value under which index `byVmiUid` finds a launcher pod. */
export function vmiUidOf(pod: Pod): readonly string[] {
  const owner = controllerOf(pod)
  return owner?.kind === 'VirtualMachineInstance' ? [owner.uid] : []
}

/** The value under which index `byGuestUid` finds a pod that holds volumes for a launcher. */
export function guestUidOf({ metadata }: Pod): readonly string[] {
  return [metadata.annotations?.[annotation.ownerVmiUid] ?? ''].filter((uid) => uid !== '')
}

/** The names under which index `byClaim` finds a VMI: `namespace/claim` for each claim that it names. */
export function claimsOf({ metadata, spec }: VirtualMachineInstance): readonly string[] {
  const names = [
    ...(spec.volumes ?? []).flatMap((volume) => claimName(volume) ?? []),
    ...(spec.utilityVolumes ?? []).map((volume) => volume.claimName),
  ]
  return [...new Set(names)].map((name) => keyFor(metadata.namespace, name))
}

export interface Watched {
  readonly vmis: Informer<VirtualMachineInstance>
  readonly pods: Informer<Pod>
  readonly attachments: Informer<Pod>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly dataVolumes: Informer<DataVolume>
  readonly quotas: Informer<ResourceQuota>
  readonly kubeVirts: Informer<KubeVirt>
}

/** Which objects wake which keys; nothing is decided here. */
export function watchVmis(
  watched: Watched,
  queue: WorkQueue,
  { expectations, ownWrites, podWrites, fates, complaints, syncs }: Deps,
): void {
  watched.vmis.on({
    added: (vmi) => queue.add(keyOf(vmi), foundGuest(vmi)),
    // What is on its way is served before what is new: in a burst the first guests run while the last are created.
    updated: (_, vmi) => queue.add(keyOf(vmi), { priority: priority.user }),
    deleted: (vmi) => {
      expectations.forget(keyOf(vmi))
      ownWrites.forget(keyOf(vmi))
      fates.forget(vmi.metadata.uid ?? '')
      syncs.forget(keyOf(vmi))
      queue.add(keyOf(vmi))
    },
  })
  const ownerOf = (pod: Pod): string | undefined => {
    const owner = controllerOf(pod)
    return owner?.kind === 'VirtualMachineInstance' ? keyFor(pod.metadata.namespace, owner.name) : undefined
  }
  const wakeOwner = (pod: Pod): void => {
    const key = ownerOf(pod)
    if (key !== undefined) queue.add(key, { priority: priority.user })
  }
  watched.pods.on({
    added: (pod) => {
      const key = ownerOf(pod)
      if (key === undefined) return
      queue.add(key, foundGuest(watched.vmis.get(key), { priority: priority.user }))
      expectations.creationObserved(key)
    },
    updated: (_, pod) => wakeOwner(pod),
    deleted: (pod) => {
      for (const uid of vmiUidOf(pod)) fates.observe(uid, pod)
      podWrites.forget(keyOf(pod))
      complaints.forget(pod)
      wakeOwner(pod)
    },
  })
  const wakeGuest = ({ metadata }: Pod): void => {
    const name = metadata.annotations?.[annotation.ownerVmiName]
    if (name !== undefined) queue.add(keyFor(metadata.namespace, name), { priority: priority.user })
  }
  watched.attachments.on({ added: wakeGuest, updated: (_, pod) => wakeGuest(pod), deleted: wakeGuest })
  const wakeUsers = (claim: PersistentVolumeClaim): void => {
    for (const vmi of watched.vmis.byIndex('byClaim', keyOf(claim))) queue.add(keyOf(vmi), foundGuest(vmi))
    for (const guest of stateOf(claim)) queue.add(guest, foundGuest(watched.vmis.get(guest)))
  }
  watched.claims.on({ added: wakeUsers, updated: (_, claim) => wakeUsers(claim), deleted: wakeUsers })
  const wakeRefused = ({ metadata }: ResourceQuota): void => {
    for (const vmi of watched.vmis.list()) {
      if (vmi.metadata.namespace === metadata.namespace && isRefused(vmi)) queue.add(keyOf(vmi))
    }
  }
  watched.quotas.on({
    updated: (before, after) => {
      if (isFreed(before, after)) wakeRefused(after)
    },
    deleted: wakeRefused,
  })
  watched.kubeVirts.on({
    updated: (before, after) => {
      if (skipsBackupHooks(before) === skipsBackupHooks(after)) return
      for (const vmi of watched.vmis.list()) queue.add(keyOf(vmi), { priority: priority.resync })
    },
  })
  // The claim of a DataVolume has its name.
  const wakeReaders = (filled: DataVolume): void => {
    for (const vmi of watched.vmis.byIndex('byClaim', keyOf(filled))) queue.add(keyOf(vmi), foundGuest(vmi))
  }
  watched.dataVolumes.on({ added: wakeReaders, updated: (_, filled) => wakeReaders(filled), deleted: wakeReaders })
}

/** Works on the queue until the signal is aborted. */
export function runVmiController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
