import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi } from '@kubevirt-ts/libvmi'
import { passingMs } from './passing.ts'

const running = (deleted: boolean): VirtualMachineInstance => {
  const object = vmi()
  const metadata = { ...object.metadata, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) }
  return { ...object, metadata, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
}

const notReady = { conditions: [{ type: 'Ready', status: 'False' }] }

test('that the guest of a deleted VMI is no longer ready may wait for the news of its end', () => {
  const seen = running(true)
  expect(passingMs(seen, { ...seen, status: { ...seen.status, ...notReady } })).toBe(5000)
  expect(passingMs(seen, { ...seen, status: { ...seen.status, ...notReady, phase: 'Succeeded' } })).toBe(0)
  expect(passingMs(seen, seen)).toBe(0)
})

test('another reason for not being ready yet may wait too', () => {
  const seen = running(false)
  const unready = (reason: string, more: object[] = []) =>
    ({
      ...seen,
      status: { ...seen.status, conditions: [{ type: 'Ready', status: 'False', reason }, ...more] },
    }) as VirtualMachineInstance
  expect(passingMs(unready('GuestNotRunning'), unready('ReadinessGatesNotReady'))).toBe(5000)
  expect(passingMs(unready('GuestNotRunning'), seen)).toBe(0)
  expect(passingMs(unready('a'), unready('b', [{ type: 'PodScheduled', status: 'False' }]))).toBe(0)
})

test('of a VMI that stays it is told at once', () => {
  const seen = running(false)
  expect(passingMs(seen, { ...seen, status: { ...seen.status, ...notReady } })).toBe(0)
})

test('that there is a pod waits a moment for the hand-over, unless the scheduler refused it or the VMI is deleted', () => {
  const of = (phase: string, more: object = {}) => ({ ...vmi(), status: { phase, ...more } }) as VirtualMachineInstance
  const deleted = (object: VirtualMachineInstance): VirtualMachineInstance => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  })
  const refused = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }
  expect(passingMs(of('Pending'), of('Scheduling'))).toBe(300)
  expect(passingMs(of('Pending'), of('Scheduled'))).toBe(0)
  expect(passingMs(of('Pending'), of('Failed'))).toBe(0)
  expect(passingMs(of('Pending'), of('Scheduling', refused))).toBe(0)
  expect(passingMs(deleted(of('Pending')), deleted(of('Scheduling')))).toBe(0)
})
