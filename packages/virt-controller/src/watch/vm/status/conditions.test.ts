import { expect, test } from '@jest/globals'
import type { VirtualMachineCondition, VirtualMachineInstance } from '@kubevirt-ts/api'
import { vm, vmi, withStatus } from '@kubevirt-ts/libvmi'
import type { Seen } from '../seen.ts'
import { conditionsOf } from './conditions.ts'

const now = new Date('2026-01-01T00:00:00Z')
const condition = (type: string, status = 'True'): VirtualMachineCondition => ({ type, status })

function seen(guest: VirtualMachineInstance | undefined, before: VirtualMachineCondition[] = []): Seen {
  const object = vm(vmi())
  object.status = { conditions: before }
  return { vm: object, vmi: guest, foreignVmi: false, startedSpec: undefined, settled: true, now, random: 0 }
}

const types = (conditions: readonly VirtualMachineCondition[]): string[] =>
  conditions.map(({ type }) => type).toSorted()

test('conditions of the VMI are shown on the VM and go with it', () => {
  const guest = vmi(withStatus({ conditions: [condition('AgentConnected'), condition('Ready')] }))
  const shown = conditionsOf(seen(guest, [condition('Paused'), condition('ManualRecoveryRequired')]), undefined)

  expect(types(shown)).toEqual(['AgentConnected', 'ManualRecoveryRequired', 'Ready'])
})

test('without a VMI the VM is not ready, and what was shown last stays', () => {
  const shown = conditionsOf(seen(undefined, [condition('LiveMigratable'), condition('Ready')]), undefined)

  expect(shown).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False', reason: 'VMINotExists' }))
  expect(types(shown)).toEqual(['LiveMigratable', 'Ready'])
})

test('a failed pass is told as Failure until one succeeds', () => {
  const problem = { reason: 'FailedCreate', message: 'refused', retry: true }
  const failed = conditionsOf(seen(undefined), problem)
  expect(failed).toContainEqual(
    expect.objectContaining({ type: 'Failure', status: 'True', reason: 'FailedCreate', message: 'refused' }),
  )
  expect(types(conditionsOf(seen(undefined, failed), undefined))).toEqual(['Ready'])
})

test('a template that changed under a running guest asks for a restart, but not for what can change live', () => {
  const started = vm(vmi()).spec
  const base = seen(vmi())
  const live = structuredClone(base.vm)
  live.spec.template.spec!.nodeSelector = { a: 'b' }
  live.spec.template.spec!.domain.memory = { guest: '1Gi' }
  expect(types(conditionsOf({ ...base, vm: live, startedSpec: started }, undefined))).toEqual(['Ready'])

  const fixed = structuredClone(base.vm)
  fixed.spec.template.spec!.terminationGracePeriodSeconds = 5
  const restart = conditionsOf({ ...base, vm: fixed, startedSpec: started }, undefined)
  expect(types(restart)).toEqual(['Ready', 'RestartRequired'])
})
