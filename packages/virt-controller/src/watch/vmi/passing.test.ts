import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi } from '@kubevirt-ts/libvmi'
import { isPassing } from './passing.ts'

const running = (deleted: boolean): VirtualMachineInstance => {
  const object = vmi()
  const metadata = { ...object.metadata, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) }
  return { ...object, metadata, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
}

const notReady = { conditions: [{ type: 'Ready', status: 'False' }] }

test('that the guest of a deleted VMI is no longer ready may wait for the news of its end', () => {
  const seen = running(true)
  expect(isPassing(seen, { ...seen, status: { ...seen.status, ...notReady } })).toBe(true)
  expect(isPassing(seen, { ...seen, status: { ...seen.status, ...notReady, phase: 'Succeeded' } })).toBe(false)
  expect(isPassing(seen, seen)).toBe(false)
})

test('another reason for not being ready yet may wait too', () => {
  const seen = running(false)
  const unready = (reason: string, more: object[] = []) =>
    ({
      ...seen,
      status: { ...seen.status, conditions: [{ type: 'Ready', status: 'False', reason }, ...more] },
    }) as VirtualMachineInstance
  expect(isPassing(unready('GuestNotRunning'), unready('ReadinessGatesNotReady'))).toBe(true)
  expect(isPassing(unready('GuestNotRunning'), seen)).toBe(false)
  expect(isPassing(unready('a'), unready('b', [{ type: 'PodScheduled', status: 'False' }]))).toBe(false)
})

test('of a VMI that stays it is told at once', () => {
  const seen = running(false)
  expect(isPassing(seen, { ...seen, status: { ...seen.status, ...notReady } })).toBe(false)
})
