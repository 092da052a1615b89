import { expect, test } from '@jest/globals'
import type { VirtualMachineCondition, VirtualMachineInstance } from '@kubevirt-ts/api'
import { vm, vmi, withStatus } from '@kubevirt-ts/libvmi'
import type { Seen } from '../seen.ts'
import { conditionsOf } from './conditions.ts'
import { noStorage } from '../../storage/no-storage.ts'

const now = new Date('2026-01-01T00:00:00Z')
const condition = (type: string, status = 'True'): VirtualMachineCondition => ({ type, status })

function seen(guest: VirtualMachineInstance | undefined, before: VirtualMachineCondition[] = []): Seen {
  const object = vm(vmi())
  object.status = { conditions: before }
  return {
    vm: object,
    vmi: guest,
    foreignVmi: false,
    startedSpec: undefined,
    settled: true,
    dataVolumesSettled: true,
    ...noStorage,
    now,
    random: 0,
  }
}

const types = (conditions: readonly VirtualMachineCondition[]): string[] =>
  conditions.map(({ type }) => type).toSorted()

test('conditions of the VMI are shown on the VM and go with it', () => {
  const guest = vmi(withStatus({ conditions: [condition('AgentConnected'), condition('Ready')] }))
  const shown = conditionsOf(seen(guest, [condition('Paused'), condition('ManualRecoveryRequired')]), {})

  expect(types(shown)).toEqual(['AgentConnected', 'ManualRecoveryRequired', 'Ready'])
})

test('without a VMI the VM is not ready, and what was shown last stays', () => {
  const shown = conditionsOf(seen(undefined, [condition('LiveMigratable'), condition('Ready')]), {})

  expect(shown).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False', reason: 'VMINotExists' }))
  expect(types(shown)).toEqual(['LiveMigratable', 'Ready'])
})

test('a failed pass is told as Failure until one succeeds', () => {
  const problem = { reason: 'FailedCreate', message: 'refused', retry: true }
  const failed = conditionsOf(seen(undefined), { problem })
  expect(failed).toContainEqual(
    expect.objectContaining({ type: 'Failure', status: 'True', reason: 'FailedCreate', message: 'refused' }),
  )
  expect(types(conditionsOf(seen(undefined, failed), {}))).toEqual(['Ready'])
})

test('that a restart is needed is told until the guest is gone', () => {
  const restart = 'a non-live-updatable field was changed in the template spec'
  const told = conditionsOf(seen(vmi()), { restart })
  expect(told).toContainEqual(expect.objectContaining({ type: 'RestartRequired', status: 'True', message: restart }))
  expect(types(conditionsOf(seen(vmi(), [...told]), { restart }))).toEqual(['Ready', 'RestartRequired'])
  expect(types(conditionsOf(seen(undefined, [...told]), {}))).toEqual(['Ready'])
})
