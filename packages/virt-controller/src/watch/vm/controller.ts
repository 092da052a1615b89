import type {
  ControllerRevision,
  DataVolume,
  PersistentVolumeClaim,
  VirtualMachine,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { controllerOf, keyFor, keyOf, priority, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { claimName } from '@kubevirt-ts/vmispec'
import type { Deps } from './deps.ts'
import { patiently } from '../lost-race.ts'
import { foundGuest, foundVm } from '../settled.ts'
import { isSameJson } from '../same.ts'
import { reconcile } from './reconcile.ts'

/** The value under which index `byVmUid` finds a revision. */
export function vmUidOf(revision: ControllerRevision): readonly string[] {
  const owner = controllerOf(revision)
  return owner?.kind === 'VirtualMachine' ? [owner.uid] : []
}

/** The names under which index `byClaim` finds a VM: `namespace/name` of each claim and DataVolume that it names. */
export function claimsOf({ metadata, spec }: VirtualMachine): readonly string[] {
  const names = [
    ...(spec.template.spec?.volumes ?? []).flatMap((volume) => claimName(volume) ?? []),
    ...(spec.dataVolumeTemplates ?? []).map((template) => template.metadata.name),
  ]
  return [...new Set(names)].map((name) => keyFor(metadata.namespace, name))
}

export interface Watched {
  readonly vms: Informer<VirtualMachine>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly revisions: Informer<ControllerRevision>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly dataVolumes: Informer<DataVolume>
}

/** Which objects wake which keys; nothing is decided here. A VMI wakes the VM of its name, whoever owns it. */
export function watchVms(watched: Watched, queue: WorkQueue, deps: Deps): void {
  const { expectations, ownWrites } = deps
  watched.vms.on({
    added: (vm) => queue.add(keyOf(vm), foundVm(vm)),
    updated: (_, vm) => queue.add(keyOf(vm), { priority: priority.user }),
    deleted: (vm) => {
      ownWrites.forget(keyOf(vm))
      queue.add(keyOf(vm))
    },
  })
  watched.vmis.on({
    added: (vmi) => {
      expectations.creationObserved(keyOf(vmi))
      queue.add(keyOf(vmi), foundGuest(vmi, { priority: priority.user }))
    },
    updated: (_, vmi) => {
      if (vmi.metadata.deletionTimestamp !== undefined)
        expectations.deletionObserved(keyOf(vmi), vmi.metadata.uid ?? '')
      queue.add(keyOf(vmi), { priority: priority.user })
    },
    deleted: (vmi) => {
      expectations.deletionObserved(keyOf(vmi), vmi.metadata.uid ?? '')
      queue.add(keyOf(vmi), { priority: priority.user })
    },
  })
  watchStorage(watched, queue, deps)
  watched.revisions.on({
    added: (revision) => {
      const owner = controllerOf(revision)
      if (owner?.kind !== 'VirtualMachine') return
      const key = keyFor(revision.metadata.namespace, owner.name)
      const vm = watched.vms.get(key)
      queue.add(key, vm === undefined ? {} : foundVm(vm))
    },
  })
}

/** A VM is what its claims and DataVolumes let it be. */
function watchStorage({ vms, claims, dataVolumes }: Watched, queue: WorkQueue, { expectations }: Deps): void {
  const wakeUsers = ({ metadata }: PersistentVolumeClaim | DataVolume): void => {
    for (const vm of vms.byIndex('byClaim', keyFor(metadata.namespace, metadata.name))) {
      queue.add(keyOf(vm), foundVm(vm))
    }
  }
  claims.on({
    added: wakeUsers,
    updated: (before, after) => {
      if (before.status?.phase !== after.status?.phase) wakeUsers(after)
    },
    deleted: wakeUsers,
  })
  dataVolumes.on({
    added: (volume) => {
      const owner = controllerOf(volume)
      if (owner?.kind === 'VirtualMachine') {
        expectations.creationObserved(`${keyFor(volume.metadata.namespace, owner.name)}/data-volumes`)
      }
      wakeUsers(volume)
    },
    updated: (before, after) => {
      if (before.status?.phase !== after.status?.phase || saysOther(before, after)) wakeUsers(after)
    },
    deleted: wakeUsers,
  })
}

/** Beside the phase only conditions tell why a DataVolume is not filled. */
function saysOther({ status: before }: DataVolume, { status: after }: DataVolume): boolean {
  const words = (status: DataVolume['status']) => status?.conditions?.map(({ reason, message }) => [reason, message])
  return !isSameJson(words(before) ?? [], words(after) ?? [])
}

/** Works on the queue until the signal is aborted. */
export function runVmController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
