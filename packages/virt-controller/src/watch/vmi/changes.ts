import { compareQuantity } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { topologyVcpus } from '@kubevirt-ts/vmispec'
import type { Removal, Verdict } from './conditions.ts'
import { networkChange } from './pod-networks.ts'

/** Whether the guest is to get other vCPUs than it has; it gets them when it moves. That it failed is the node agent's word. */
export function cpuChange({ spec, status }: VirtualMachineInstance): Verdict | Removal {
  const type = 'HotVCPUChange'
  const { cpu } = spec.domain
  const has = status?.currentCPUTopology
  const isChanged =
    cpu !== undefined && has !== undefined && (cpu.maxSockets ?? 0) !== 0 && topologyVcpus(cpu) !== topologyVcpus(has)
  if (!isChanged) return { type, remove: true }
  return hasFailed(status, type) ? { type, remove: false } : { type, status: 'True' }
}

const hasFailed = (status: VirtualMachineInstance['status'], type: string): boolean =>
  status?.conditions?.some((each) => each.type === type && each.status === 'False') ?? false

/** Whether the guest is to get other memory than was asked for last. That it failed once is the node agent's word. */
export function memoryChange({ spec, status }: VirtualMachineInstance): Verdict | Removal {
  const type = 'HotMemoryChange'
  const wanted = spec.domain.memory?.guest
  const asked = status?.memory?.guestRequested
  if (wanted === undefined || asked === undefined || compareQuantity(wanted, asked) === 0) return { type, remove: true }
  return hasFailed(status, type) ? { type, remove: false } : { type, status: 'True' }
}

/** Whether volumes of the guest are to move to other claims with it. That they are to stay after all is the VM's word. */
export function volumesChange({ status }: VirtualMachineInstance): Verdict | Removal {
  const type = 'VolumesChange'
  if (hasFailed(status, type)) return { type, remove: false }
  if ((status?.migratedVolumes ?? []).length === 0) return { type, remove: true }
  return { type, status: 'True', message: 'migrate volumes' }
}

/** How long another controller is waited for that may join a running pod to a network. */
const joinPatienceMs = 60_000
/** How often is looked whether it did. */
export const lookAgainMs = 10_000

const required = 'AutoMigrationDueToLiveUpdate'
const pending = 'AutoMigrationPending'

/** Whether the guest must move for its cards to become what they should be. */
export function migrationRequired(vmi: VirtualMachineInstance, pod: Pod | undefined, now: Date): Verdict | Removal {
  const type = 'MigrationRequired'
  const change = networkChange(vmi, pod)
  if (change === 'none') return { type, remove: true }
  const known = vmi.status?.conditions?.find((each) => each.type === type)
  const since = known?.reason === pending ? Date.parse(known.lastTransitionTime ?? '') : now.getTime()
  const isOverdue = known?.status === 'True' || now.getTime() - since >= joinPatienceMs
  if (change === 'required' || isOverdue) return { type, status: 'True', reason: required }
  return { type, status: 'False', reason: pending }
}
