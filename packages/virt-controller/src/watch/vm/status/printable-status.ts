import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { hasUnboundClaim, isImporting, isImportFailed } from '../data-volumes/state.ts'
import { decide } from '../run-strategy/index.ts'
import { isFinal, runStrategyOf } from '../seen.ts'
import type { Seen } from '../seen.ts'

/** What the status is made from: what was seen, and what this pass began. */
export interface Outlook {
  readonly seen: Seen
  /** A VMI was created in this pass or is about to appear. */
  readonly createExpected: boolean
  readonly deleteExpected: boolean
}

const beforeRunning: ReadonlySet<string> = new Set(['', 'Pending', 'Scheduling', 'Scheduled'])
const backingOff: ReadonlySet<string> = new Set(['Always', 'RerunOnFailure', 'Once'])

const phaseOf = (vmi: VirtualMachineInstance | undefined): string => vmi?.status?.phase ?? ''
const isTrue = (vmi: VirtualMachineInstance, type: string): boolean =>
  vmi.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
const refused = (vmi: VirtualMachineInstance | undefined, type: string, reason: string): boolean =>
  vmi?.status?.conditions?.some((c) => c.type === type && c.status === 'False' && c.reason === reason) ?? false

function isStopping({ seen: { vmi }, deleteExpected }: Outlook): boolean {
  return vmi !== undefined && !isFinal(vmi) && (vmi.metadata.deletionTimestamp !== undefined || deleteExpected)
}

function isMigrating({ seen: { vmi, now } }: Outlook): boolean {
  const { startTimestamp, endTimestamp } = vmi?.status?.migrationState ?? {}
  if (!startTimestamp || Date.parse(startTimestamp) > now.getTime()) return false
  return !endTimestamp || Date.parse(endTimestamp) > now.getTime()
}

const isRunning = ({ seen: { vmi } }: Outlook): boolean => phaseOf(vmi) === 'Running'
const isPaused = (outlook: Outlook): boolean =>
  isRunning(outlook) && outlook.seen.vmi !== undefined && isTrue(outlook.seen.vmi, 'Paused')

function isStarting({ seen: { vmi }, createExpected }: Outlook): boolean {
  return vmi === undefined ? createExpected : beforeRunning.has(phaseOf(vmi))
}

/** Only of a VM that is meant to run. */
function isWaitingForBinding({ seen, createExpected }: Outlook): boolean {
  const isMeant = seen.vmi === undefined ? createExpected || decide(seen).vmi === 'start' : !isFinal(seen.vmi)
  return isMeant && hasUnboundClaim(seen)
}

function isCrashLooping({ seen: { vm, vmi }, createExpected }: Outlook): boolean {
  if (createExpected || (vmi !== undefined && !isFinal(vmi))) return false
  return (vm.status?.startFailure?.consecutiveFailCount ?? 0) > 0 && backingOff.has(runStrategyOf(vm))
}

function isWaitingForReceiver({ seen: { vm, vmi } }: Outlook): boolean {
  return runStrategyOf(vm) === 'WaitAsReceiver' && (vmi === undefined || phaseOf(vmi) === 'WaitingForSync')
}

function isStopped({ seen: { vmi }, createExpected }: Outlook): boolean {
  return vmi === undefined ? !createExpected : isFinal(vmi)
}

/** Every status with its test; the first that holds is the VM's. The order is upstream's, and users rely on it. */
const statuses: readonly (readonly [status: string, holds: (outlook: Outlook) => boolean])[] = [
  ['Terminating', ({ seen }) => seen.vm.metadata.deletionTimestamp !== undefined],
  ['Stopping', isStopping],
  ['Migrating', isMigrating],
  ['Paused', isPaused],
  ['Running', isRunning],
  ['ErrorPvcNotFound', ({ seen }) => refused(seen.vmi, 'Synchronized', 'FailedPvcNotFound')],
  ['DataVolumeError', ({ seen }) => isImportFailed(seen)],
  ['ErrorUnschedulable', ({ seen }) => refused(seen.vmi, 'PodScheduled', 'Unschedulable')],
  ['Provisioning', ({ seen }) => isImporting(seen)],
  ['WaitingForVolumeBinding', isWaitingForBinding],
  ['ErrImagePull', ({ seen }) => refused(seen.vmi, 'Synchronized', 'ErrImagePull')],
  ['ImagePullBackOff', ({ seen }) => refused(seen.vmi, 'Synchronized', 'ImagePullBackOff')],
  ['Starting', isStarting],
  ['CrashLoopBackOff', isCrashLooping],
  ['Stopped', isStopped],
  ['WaitingForReceiver', isWaitingForReceiver],
]

/** The one word that `kubectl get vm` shows. */
export function printableStatus(outlook: Outlook): string {
  return statuses.find(([, holds]) => holds(outlook))?.[0] ?? 'Unknown'
}
