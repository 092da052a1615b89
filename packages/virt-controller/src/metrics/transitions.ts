import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { Gauge, Histogram } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'

export interface Metrics {
  readonly ready: (isReady: boolean) => void
  readonly leading: (isLeading: boolean) => void
  /** To be told of each change of a VMI that the cache saw. */
  readonly vmiChanged: (before: VirtualMachineInstance, after: VirtualMachineInstance) => void
  readonly migrationChanged: (before: VirtualMachineInstanceMigration, after: VirtualMachineInstanceMigration) => void
}

const seconds = [0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600, 1200, 3600]

/** Registers virt-controller's metrics under upstream's names. */
export function createMetrics(registry: Registry): Metrics {
  const registers = [registry]
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers })
  const ready = gauge('kubevirt_virt_controller_ready_status', 'Whether this virt-controller is ready to take over.')
  const leading = gauge('kubevirt_virt_controller_leading_status', 'Whether this virt-controller leads.')
  const between = new Histogram({
    name: 'kubevirt_vmi_phase_transition_time_seconds',
    help: 'Time between two phases of a VMI.',
    labelNames: ['phase', 'last_phase'],
    buckets: seconds,
    registers,
  })
  const sinceCreation = new Histogram({
    name: 'kubevirt_vmi_phase_transition_time_from_creation_seconds',
    help: 'Time from the creation of a VMI to a phase.',
    labelNames: ['phase'],
    buckets: seconds,
    registers,
  })
  const sinceDeletion = new Histogram({
    name: 'kubevirt_vmi_phase_transition_time_from_deletion_seconds',
    help: 'Time from the deletion of a VMI to a phase.',
    labelNames: ['phase'],
    buckets: seconds,
    registers,
  })
  const ofMigrations = new Histogram({
    name: 'kubevirt_vmi_migration_phase_transition_time_from_creation_seconds',
    help: 'Time from the creation of a migration to a phase.',
    labelNames: ['phase'],
    buckets: seconds,
    registers,
  })
  return {
    ready: (isReady) => ready.set(Number(isReady)),
    leading: (isLeading) => leading.set(Number(isLeading)),
    vmiChanged: (before, after) => {
      const last_phase = before.status?.phase ?? ''
      const phase = after.status?.phase ?? ''
      const at = timeOf(after, phase)
      if (phase === last_phase || at === undefined) return
      const { creationTimestamp, deletionTimestamp } = after.metadata
      observe(sinceCreation, { phase }, creationTimestamp, at)
      observe(sinceDeletion, { phase }, deletionTimestamp, at)
      const last = timeOf(after, last_phase)
      if (last !== undefined) between.observe({ phase, last_phase }, (at - last) / 1000)
    },
    migrationChanged: (before, after) => {
      const phase = after.status?.phase ?? ''
      const at = timeOf(after, phase)
      if (phase === before.status?.phase || at === undefined) return
      observe(ofMigrations, { phase }, after.metadata.creationTimestamp, at)
    },
  }
}

/** The time since, where that is known; clocks of two machines may differ. */
function observe(
  histogram: Histogram<'phase'>,
  labels: { readonly phase: string },
  since: string | undefined,
  at: number,
): void {
  const begin = Date.parse(since ?? '')
  if (!Number.isNaN(begin)) histogram.observe(labels, Math.max(0, at - begin) / 1000)
}

function timeOf(
  { status }: Pick<VirtualMachineInstance | VirtualMachineInstanceMigration, 'status'>,
  phase: string,
): number | undefined {
  const step = status?.phaseTransitionTimestamps?.findLast((each) => each.phase === phase)
  const time = Date.parse(step?.phaseTransitionTimestamp ?? '')
  return Number.isNaN(time) ? undefined : time
}
