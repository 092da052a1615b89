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

test('a guest that failed to start goes on to say why; one that came up no more', () => {
  const refused = withFailure('GuestNotStarted: no such device')
  const conditionOf = (phase: string) =>
    conditionsOf(refused, { domain: running, verdict: { phase }, now }).find(({ type }) => type === 'Synchronized')
  expect(conditionOf('Failed')).toMatchObject({ status: 'False', message: 'GuestNotStarted: no such device' })
  expect(conditionOf('Running')).toBeUndefined()
})

function withFailure(failure: string): VirtualMachineInstance {
  const object = vmi(withPhase('Scheduled'))
  const conditions = conditionsOf(object, { verdict: { phase: 'Scheduled' }, failure, now })
  return { ...object, status: { ...object.status, conditions } }
}
