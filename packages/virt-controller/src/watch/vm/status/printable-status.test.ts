import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vm, vmi, withPhase, withRunStrategy, withStatus } from '@kubevirt-ts/libvmi'
import { printableStatus } from './printable-status.ts'
import type { Outlook } from './printable-status.ts'
import { noStorage } from '../../storage/no-storage.ts'

const now = new Date('2026-01-01T00:00:00Z')
const condition = (type: string, status: string, reason = ''): { type: string; status: string; reason: string } => ({
  type,
  status,
  reason,
})

interface Given {
  readonly strategy?: string
  readonly vmi?: VirtualMachineInstance
  readonly vmDeleted?: boolean
  readonly failures?: number
  readonly creating?: boolean
  readonly deleting?: boolean
}

function outlook({ strategy = 'Always', vmDeleted, failures, creating, deleting, ...given }: Given): Outlook {
  const object = vm(vmi(), withRunStrategy(strategy as 'Always'))
  if (vmDeleted) object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  if (failures) object.status = { startFailure: { consecutiveFailCount: failures } }
  const seen = {
    vm: object,
    vmi: given.vmi,
    foreignVmi: false,
    startedSpec: undefined,
    settled: true,
    dataVolumesSettled: true,
    ...noStorage,
    now,
    random: 0,
  }
  return { seen, createExpected: creating ?? false, deleteExpected: deleting ?? false }
}

const running = withPhase('Running')
const refused = (type: string, reason: string) => withStatus({ conditions: [condition(type, 'False', reason)] })
const deleted = (object: VirtualMachineInstance): VirtualMachineInstance => {
  object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  return object
}

test.each<[expected: string, given: Given]>([
  ['Terminating', { vmDeleted: true, vmi: vmi(running) }],
  ['Stopping', { vmi: deleted(vmi(running)) }],
  ['Stopping', { vmi: vmi(running), deleting: true }],
  ['Migrating', { vmi: vmi(running, withStatus({ migrationState: { startTimestamp: '2025-12-31T23:59:00Z' } })) }],
  [
    'Running',
    {
      vmi: vmi(
        running,
        withStatus({
          migrationState: { startTimestamp: '2025-12-31T23:58:00Z', endTimestamp: '2025-12-31T23:59:00Z' },
        }),
      ),
    },
  ],
  ['Paused', { vmi: vmi(running, withStatus({ conditions: [condition('Paused', 'True')] })) }],
  ['Running', { vmi: vmi(running) }],
  ['ErrorPvcNotFound', { vmi: vmi(refused('Synchronized', 'FailedPvcNotFound')) }],
  ['ErrorUnschedulable', { vmi: vmi(refused('PodScheduled', 'Unschedulable')) }],
  ['ErrImagePull', { vmi: vmi(refused('Synchronized', 'ErrImagePull')) }],
  ['ImagePullBackOff', { vmi: vmi(refused('Synchronized', 'ImagePullBackOff')) }],
  ['Starting', { vmi: vmi(withPhase('Scheduling')) }],
  ['Starting', { creating: true }],
  ['CrashLoopBackOff', { failures: 1 }],
  ['CrashLoopBackOff', { failures: 2, vmi: vmi(withPhase('Failed')) }],
  ['Stopped', { failures: 1, strategy: 'Halted' }],
  ['Stopped', { vmi: vmi(withPhase('Succeeded')) }],
  ['Stopped', {}],
  ['WaitingForReceiver', { strategy: 'WaitAsReceiver', vmi: vmi(withPhase('WaitingForSync')) }],
  ['Unknown', { vmi: vmi(withPhase('Unknown')) }],
])('%s: %#', (expected, given) => {
  expect(printableStatus(outlook(given))).toBe(expected)
})
