import { label, vmiCondition, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { launcherOptions } from '../vm/launcher-options.ts'
import type { MigrationDeps } from './deps.ts'

type Status = NonNullable<VirtualMachineInstance['status']>
type Change = 'cpus' | 'memory'
type Outcome = { readonly change: Change; readonly failure?: string }

const conditionOf: Readonly<Record<Change, string>> = {
  cpus: vmiCondition.hotVcpuChange,
  memory: vmiCondition.hotMemoryChange,
}
const labelOf: Readonly<Record<Change, string>> = {
  cpus: label.vmiPodCpuResourceLimits,
  memory: label.vmiPodMemoryResourceRequests,
}
/** Reason of a condition that says False: the guest stays as it is until it is started again. */
const hotplugFailed = 'HotplugFailed'

/**
 * Gives a guest that has arrived the CPUs and the memory for which it moved. Answers what that makes of the VMI. Nothing
 * is thrown: the move itself has succeeded, so a change that failed is told by its condition and an event.
 */
export async function carryOutChanges(
  vmi: VirtualMachineInstance,
  launcher: Launcher,
  deps: Pick<MigrationDeps, 'configuration' | 'events' | 'log' | 'now'>,
): Promise<(fresh: VirtualMachineInstance) => VirtualMachineInstance> {
  const request = { vmi: encodeVmi(vmi), options: launcherOptions(deps.configuration(), vmi.spec) }
  const { cmd } = launcher
  const calls = {
    cpus: () => cmd.syncVirtualMachineCpUs(request),
    memory: () => cmd.syncVirtualMachineMemory(request),
  }
  const outcomes: Outcome[] = []
  for (const change of ['cpus', 'memory'] as const) {
    if (!isPending(vmi, change)) continue
    try {
      succeeded(await calls[change]())
      outcomes.push({ change })
    } catch (error) {
      const failure = (error as Error).message
      deps.log.warn({ ...launcher.guest, error, change }, 'a guest that arrived did not get what it moved for')
      deps.events.event(vmi, 'Warning', hotplugFailed, `${wordOf[change]} cannot be added: ${failure}`)
      outcomes.push({ change, failure })
    }
  }
  return (fresh) => outcomes.reduce((seen, outcome) => withOutcome(seen, vmi, outcome, deps.now()), fresh)
}

const wordOf: Readonly<Record<Change, string>> = { cpus: 'CPUs', memory: 'memory' }

function isPending({ status }: VirtualMachineInstance, change: Change): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === conditionOf[change] && is === 'True') ?? false
}

/** @param asked the VMI that the launcher was shown; the fresh one may ask for more by now */
function withOutcome(
  fresh: VirtualMachineInstance,
  asked: VirtualMachineInstance,
  { change, failure }: Outcome,
  nowMs: number,
): VirtualMachineInstance {
  const type = conditionOf[change]
  const { [labelOf[change]]: _limits, ...labels } = fresh.metadata.labels ?? {}
  const before = fresh.status?.conditions ?? []
  const conditions =
    failure === undefined
      ? removeCondition(before, type)
      : setCondition(before, { type, status: 'False', reason: hotplugFailed, message: failure }, new Date(nowMs))
  const status = { ...fresh.status, conditions } as Status
  const done = failure === undefined ? { ...status, ...partOf(change, asked, status) } : status
  return { ...fresh, metadata: { ...fresh.metadata, labels }, status: done }
}

/** What the guest has now. */
function partOf(change: Change, { spec }: VirtualMachineInstance, status: Status): Partial<Status> {
  if (change === 'memory') return { memory: { ...status.memory, guestRequested: spec.domain.memory?.guest } }
  const { sockets, cores, threads } = spec.domain.cpu ?? {}
  return { currentCPUTopology: { ...status.currentCPUTopology, sockets, cores, threads } }
}
