import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance, VirtualMachineStartFailure } from '@kubevirt-ts/api'
import { vm, vmi, withPhase, withRunStrategy, withStatus, withUid } from '@kubevirt-ts/libvmi'
import type { Seen } from './seen.ts'
import { delaySeconds, nextStartFailure, startAllowedIn } from './start-failure.ts'
import { noStorage } from '../storage/no-storage.ts'

const now = new Date('2026-01-01T00:00:00Z')

function seen(
  guest: VirtualMachineInstance | undefined,
  failure?: VirtualMachineStartFailure,
  strategy = 'Always',
): Seen {
  const object = vm(vmi(), withRunStrategy(strategy as 'Always'))
  if (failure !== undefined) object.status = { startFailure: failure }
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

const failed = (uid: string): VirtualMachineInstance => vmi(withUid(uid), withPhase('Failed'))

test.each([
  [1, 10, 15],
  [2, 40, 60],
  [3, 90, 135],
  [4, 160, 240],
  [5, 250, 300],
  [6, 300, 300],
])('after %i failures a start waits %i to %i seconds', (count, least, most) => {
  expect(delaySeconds(count, 0)).toBe(least)
  expect(delaySeconds(count, 0.999999)).toBe(most)
})

test('a VMI that never ran counts once', () => {
  const first = nextStartFailure(seen(failed('a')))
  expect(first).toEqual({ consecutiveFailCount: 1, lastFailedVMIUID: 'a', retryAfterTimestamp: '2026-01-01T00:00:10Z' })
  expect(nextStartFailure(seen(failed('a'), first))).toEqual(first)
  expect(nextStartFailure(seen(failed('b'), first))?.consecutiveFailCount).toBe(2)
})

test('a guest that ran clears the record', () => {
  const failure = { consecutiveFailCount: 3, lastFailedVMIUID: 'a' }
  expect(nextStartFailure(seen(vmi(withPhase('Running')), failure))).toBeUndefined()
  const ran = vmi(withPhase('Failed'), withStatus({ phaseTransitionTimestamps: [{ phase: 'Running' }] }))
  expect(nextStartFailure(seen(ran, failure))).toBeUndefined()
})

test('strategies that do not restart by themselves have no record', () => {
  expect(nextStartFailure(seen(failed('a'), undefined, 'Manual'))).toBeUndefined()
})

test('the record outlives the VMI, and its time is waited for', () => {
  const failure = { consecutiveFailCount: 1, retryAfterTimestamp: '2026-01-01T00:00:07Z' }
  expect(nextStartFailure(seen(undefined, failure))).toEqual(failure)
  expect(startAllowedIn(seen(undefined, failure))).toBe(7_000)
  expect(startAllowedIn(seen(undefined, failure, 'Manual'))).toBe(0)
})
