import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { guestNotRunning, isOnlyGuestMissing } from './readiness.ts'

const vmiWith = (condition: object): VirtualMachineInstance =>
  ({ metadata: {}, spec: {}, status: { conditions: [{ type: 'Synchronized', status: 'True' }, condition] } }) as never

test('only its guest is missing to a VMI whose pod is ready', () => {
  expect(isOnlyGuestMissing(vmiWith(guestNotRunning('podReady')))).toBe(true)
  expect(isOnlyGuestMissing(vmiWith(guestNotRunning('podUnready')))).toBe(false)
  expect(isOnlyGuestMissing(vmiWith({ ...guestNotRunning('podReady'), status: 'True' }))).toBe(false)
  expect(isOnlyGuestMissing(vmiWith({ ...guestNotRunning('podReady'), reason: 'PodTerminating' }))).toBe(false)
  expect(isOnlyGuestMissing({ metadata: {}, spec: {} } as never)).toBe(false)
})
