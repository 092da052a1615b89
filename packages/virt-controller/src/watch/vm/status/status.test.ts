import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vm, vmi, withPhase, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { noStorage } from '../../storage/no-storage.ts'
import { decide } from '../run-strategy/index.ts'
import type { Seen } from '../seen.ts'
import { statusOf } from './index.ts'

const deleted = (guest: VirtualMachineInstance): VirtualMachineInstance => {
  guest.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  return guest
}

/** A VM that runs its guest again after failures, and noted another strategy before. */
function changed(before: string, guest: VirtualMachineInstance | undefined, settled = true): Seen {
  const machine = vm(vmi(), withRunStrategy('RerunOnFailure'))
  machine.status = { runStrategy: before }
  return {
    vm: machine,
    vmi: guest,
    foreignVmi: false,
    startedSpec: undefined,
    settled,
    dataVolumesSettled: true,
    ...noStorage,
    now: new Date(0),
    random: 0,
  }
}

const running = () => vmi(withUid('guest'), withPhase('Running'))
const succeeded = () => vmi(withUid('guest'), withPhase('Succeeded'))

test.each<[what: string, noted: string, seen: Seen]>([
  ['still ends its guest', 'Halted', changed('Halted', deleted(running()))],
  ['sees the end of its guest', 'Halted', changed('Halted', deleted(succeeded()))],
  ['does not see yet that its guest is deleted', 'Halted', changed('Halted', running(), false)],
  ['has another guest that runs', 'RerunOnFailure', changed('Halted', running())],
])('while a VM that was halted %s, its last strategy is %s', (_, noted, seen) => {
  const decision = decide(seen)
  expect(statusOf(seen, { decision, created: false, deleted: false }).runStrategy).toBe(noted)
})

test.each(['Manual', 'Once', 'Always'])('a guest that was deleted under %s owes a start', (before) => {
  const seen = changed(before, deleted(succeeded()))
  expect(statusOf(seen, { decision: decide(seen), created: false, deleted: true }).runStrategy).toBe(before)
})

test('a guest that ended by itself before owes none: the strategy is noted first, then the guest goes', () => {
  const seen = changed('Manual', succeeded())
  expect(decide(seen).vmi).toBe('leave')
  expect(statusOf(seen, { decision: decide(seen), created: false, deleted: false }).runStrategy).toBe('RerunOnFailure')
  expect(decide(changed('RerunOnFailure', succeeded())).vmi).toBe('stop')
})

test('once its guest is gone such a VM starts, since the strategy is new to it', () => {
  expect(decide(changed('Halted', undefined)).vmi).toBe('start')
  expect(decide(changed('RerunOnFailure', undefined)).vmi).toBe('leave')
})
