import { annotation, label, vmiCondition, volumesChangeCancellation } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { hasOldLauncher } from '../outdated.ts'

/** What is known when workloads are looked through. */
export interface View {
  readonly vmis: readonly VirtualMachineInstance[]
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  readonly migrationsOf: (vmi: VirtualMachineInstance) => readonly VirtualMachineInstanceMigration[]
  readonly launcherImage: string
  /** Of the KubeVirt resource: `LiveMigrate`, `Evict`. */
  readonly methods: readonly string[]
  /** Migrations that the cluster lets run at once. */
  readonly parallelMigrations: number
  /** Guests to evict at most in this pass. */
  readonly evictions: number
}

export interface Plan {
  readonly migrate: readonly VirtualMachineInstance[]
  readonly evict: readonly VirtualMachineInstance[]
  /** Migrations of ours whose reason is gone. */
  readonly cancel: readonly VirtualMachineInstanceMigration[]
  /** Somebody still has to be updated: look again without waiting for an event. */
  readonly isUnfinished: boolean
}

const nothing: Plan = { migrate: [], evict: [], cancel: [], isUnfinished: false }

/** Changes of a running guest that become true by moving it. */
const changes: ReadonlySet<string> = new Set(['HotVCPUChange', 'HotMemoryChange', 'MigrationRequired', 'VolumesChange'])

export function hasChange({ status }: VirtualMachineInstance): boolean {
  return status?.conditions?.some((each) => changes.has(each.type) && each.status === 'True') ?? false
}

/** Guests that run in an old launcher or wait for a change are moved, or ended where they cannot move. */
export function plan(view: View): Plan {
  const { methods, launcherImage, migrationsOf } = view
  if (methods.length === 0) return nothing
  const running = view.vmis.filter(
    ({ metadata, status }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined,
  )
  const due = running.filter((vmi) => hasChange(vmi) || hasOldLauncher(vmi, launcherImage))
  const idle = due.filter((vmi) => !migrationsOf(vmi).some(isUnfinished))
  const mayMigrate = methods.includes('LiveMigrate')
  const movable = idle.filter((vmi) => mayMigrate && isMigratable(vmi))
  const fixed = idle.filter((vmi) => !movable.includes(vmi) && hasOldLauncher(vmi, launcherImage))
  const slots = Math.max(0, view.parallelMigrations - view.migrations.filter(isUnfinished).length)
  return {
    migrate: movable.slice(0, slots),
    evict: methods.includes('Evict') ? fixed.slice(0, view.evictions) : [],
    cancel: running
      .filter((vmi) => !due.includes(vmi))
      .flatMap((vmi) => migrationsOf(vmi).filter((each) => isCancellable(each, vmi))),
    isUnfinished: due.length > 0,
  }
}

function isMigratable({ status }: VirtualMachineInstance): boolean {
  return status?.conditions?.some((each) => each.type === 'LiveMigratable' && each.status === 'True') ?? false
}

function keepsVolumes({ status }: VirtualMachineInstance): boolean {
  return (
    status?.conditions?.some(
      ({ type, reason }) => type === vmiCondition.volumesChange && reason === volumesChangeCancellation,
    ) ?? false
  )
}

function isUnfinished({ status }: VirtualMachineInstanceMigration): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

/**
 * Once the nodes have a migration its change is carried out by it, so it looks as if there were no reason any more. That
 * volumes are to stay where they are is said in so many words.
 */
function isCancellable(migration: VirtualMachineInstanceMigration, vmi: VirtualMachineInstance): boolean {
  const { metadata, status } = migration
  const isOurs = metadata.annotations?.[annotation.workloadUpdateMigration] !== undefined
  if (isOurs && metadata.labels?.[label.volumeUpdateMigration] !== undefined && keepsVolumes(vmi)) {
    return isUnfinished(migration) && metadata.deletionTimestamp === undefined
  }
  const isEarly = ['', 'Pending', 'Scheduling'].includes(status?.phase ?? '')
  return isOurs && isEarly && metadata.deletionTimestamp === undefined
}
