import {
  notLiveMigratableReason,
  pausedReason,
  synchronizedReason,
  type VirtualMachineInstance,
  type VirtualMachineInstanceCondition,
  vmiCondition,
} from '@kubevirt-ts/api'
import { type ConditionInput, removeCondition, setCondition } from '@kubevirt-ts/controller'
import type { Domain } from '@kubevirt-ts/domain'
import { isOnlyGuestMissing } from '@kubevirt-ts/vmispec'
import type { Verdict } from '../phase.ts'
import { type Blocker, migrationBlockers } from './migratable.ts'

type Conditions = readonly VirtualMachineInstanceCondition[]

interface Known {
  readonly domain?: Domain | undefined
  readonly verdict: Verdict
  readonly failure?: string | undefined
  readonly now: Date
}

/** The conditions that this node answers for; others stay as they are. */
export function conditionsOf(
  vmi: VirtualMachineInstance,
  { domain, verdict, failure, now }: Known,
): VirtualMachineInstanceCondition[] {
  const blockers = migrationBlockers(vmi)
  const wanted: Record<string, ConditionInput | undefined> = {
    ...(domain === undefined
      ? {}
      : {
          [vmiCondition.liveMigratable]: liveMigratable(blockers),
          [vmiCondition.storageLiveMigratable]: storageLiveMigratable(blockers),
          [vmiCondition.paused]: paused(domain),
          [vmiCondition.agentConnected]: agentConnected(domain),
          [vmiCondition.accessCredentialsSynchronized]: accessCredentials(domain),
        }),
    ...(startsToServe(vmi, domain, verdict)
      ? { [vmiCondition.ready]: { type: vmiCondition.ready, status: 'True' } }
      : {}),
    ...synchronized(verdict, failure),
  }
  return Object.entries(wanted).reduce<Conditions>(
    (conditions, [type, condition]) =>
      condition === undefined ? removeCondition(conditions, type) : setCondition(conditions, condition, now),
    vmi.status?.conditions ?? [],
  ) as VirtualMachineInstanceCondition[]
}

/**
 * That a VMI is ready is virt-controller's word, who looks at the pod; where only the guest was missing it is told with
 * the write that reports the guest.
 */
function startsToServe(vmi: VirtualMachineInstance, domain: Domain | undefined, { phase }: Verdict): boolean {
  if (domain === undefined || phase !== 'Running' || vmi.status?.phase !== 'Scheduled') return false
  return isOnlyGuestMissing(vmi) && paused(domain) === undefined
}

/** What failed last stays told of a guest that failed: it may be why. */
function synchronized({ phase }: Verdict, failure: string | undefined): Record<string, ConditionInput | undefined> {
  if (failure === undefined && phase === 'Failed') return {}
  return { [vmiCondition.synchronized]: failure === undefined ? undefined : notSynchronized(failure) }
}

/** The reason is that of the first blocker, as clients know it; the message names them all. */
function liveMigratable(blockers: readonly Blocker[]): ConditionInput {
  const type = vmiCondition.liveMigratable
  const [first] = blockers
  if (first === undefined) return { type, status: 'True' }
  const message = blockers.map((each) => each.message).join('; ')
  return { type, status: 'False', reason: first.reason, message }
}

function storageLiveMigratable(blockers: readonly Blocker[]): ConditionInput {
  const type = vmiCondition.storageLiveMigratable
  const lasting = blockers.filter(({ reason }) => reason !== notLiveMigratableReason.disks)
  if (lasting.length === 0) return { type, status: 'True' }
  const message = lasting.map((each) => each.message).join('; ')
  return { type, status: 'False', reason: notLiveMigratableReason.notMigratable, message }
}

function paused({ status }: Domain): ConditionInput | undefined {
  if (status.status !== 'Paused') return undefined
  const type = vmiCondition.paused
  if (status.reason === 'IOError')
    return {
      type,
      status: 'True',
      reason: pausedReason.ioError,
      message: 'VMI was paused, low-level IO error detected',
    }
  if (status.reason === 'User')
    return { type, status: 'True', reason: pausedReason.byUser, message: 'VMI was paused by user' }
  return undefined
}

const agentConnected = ({ status }: Domain): ConditionInput | undefined =>
  status.agentConnected === true ? { type: vmiCondition.agentConnected, status: 'True' } : undefined

/** Undefined as long as nothing was handed to the guest. */
function accessCredentials({ spec }: Domain): ConditionInput | undefined {
  const { succeeded, message } = spec.metadata?.kubevirt?.accessCredential ?? {}
  const type = vmiCondition.accessCredentialsSynchronized
  if (succeeded === undefined) return undefined
  if (succeeded === 'true') return { type, status: 'True' }
  return {
    type,
    status: 'False',
    reason: 'AccessCredentialsSyncFailed',
    message: message ?? 'the guest gave no reason',
  }
}

const notSynchronized = (message: string): ConditionInput => ({
  type: vmiCondition.synchronized,
  status: 'False',
  reason: synchronizedReason.domainSynchronizationFailed,
  message,
})
