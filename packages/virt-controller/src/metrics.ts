import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { Gauge, Histogram } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'

export interface Metrics {
  readonly ready: (isReady: boolean) => void
  readonly leading: (isLeading: boolean) => void
  /** To be told of each phase change that this controller wrote. */
  readonly phaseChanged: (vmi: VirtualMachineInstance, before: string) => void
}

const seconds = [0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600]

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
  return {
    ready: (isReady) => ready.set(Number(isReady)),
    leading: (isLeading) => leading.set(Number(isLeading)),
    phaseChanged: (vmi, before) => {
      const phase = vmi.status?.phase ?? ''
      const at = timeOf(vmi, phase)
      if (at === undefined) return
      const created = Date.parse(vmi.metadata.creationTimestamp ?? '')
      if (!Number.isNaN(created)) sinceCreation.observe({ phase }, (at - created) / 1000)
      const last = timeOf(vmi, before)
      if (last !== undefined) between.observe({ phase, last_phase: before }, (at - last) / 1000)
    },
  }
}

function timeOf(vmi: VirtualMachineInstance, phase: string): number | undefined {
  const step = vmi.status?.phaseTransitionTimestamps?.findLast((each) => each.phase === phase)
  const time = Date.parse(step?.phaseTransitionTimestamp ?? '')
  return Number.isNaN(time) ? undefined : time
}
