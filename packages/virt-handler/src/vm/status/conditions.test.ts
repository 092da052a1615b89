import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'
import { vmi, withPhase } from '@kubevirt-ts/libvmi'
import { guestNotRunning } from '@kubevirt-ts/vmispec'
import { conditionsOf } from './conditions.ts'

const now = new Date('2026-01-01T00:00:00Z')
const running = { spec: {}, status: { status: 'Running' } } as unknown as Domain
const pausedByUser = { spec: {}, status: { status: 'Paused', reason: 'User' } } as unknown as Domain

function waiting(pod: 'podReady' | 'podUnready', phase = 'Scheduled'): VirtualMachineInstance {
  const object = vmi(withPhase(phase as 'Scheduled'))
  return { ...object, status: { ...object.status, conditions: [guestNotRunning(pod)] } as never }
}

const readyOf = (object: VirtualMachineInstance, domain: Domain, phase = 'Running') =>
  conditionsOf(object, { domain, verdict: { phase }, now }).find(({ type }) => type === 'Ready')

test('the report that a guest runs makes its VMI ready where only the guest was missing', () => {
  expect(readyOf(waiting('podReady'), running)).toEqual({
    type: 'Ready',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })
})

test('else Ready stays what virt-controller said', () => {
  const stays = { status: 'False', reason: 'GuestNotRunning' }
  expect(readyOf(waiting('podUnready'), running)).toMatchObject(stays)
  expect(readyOf(waiting('podReady'), pausedByUser)).toMatchObject(stays)
  expect(readyOf(waiting('podReady'), running, 'Scheduled')).toMatchObject(stays)
  expect(readyOf(waiting('podReady', 'Running'), running)).toMatchObject(stays)
})
