import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { guestNotRunning } from '@kubevirt-ts/vmispec'
import { nextScene, played } from './script.ts'

const timing = { startMs: 10, stopMs: 20 }

const vmi = (phase: string, deleted = false): VirtualMachineInstance =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'b', ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { domain: { devices: {} } },
    status: { phase, interfaces: [{ name: 'default', ipAddress: '198.18.0.9' }] },
  }) as unknown as VirtualMachineInstance

test('a guest starts once it was handed over and ends once it is deleted', () => {
  expect(nextScene(vmi('Scheduling'), timing)).toBeUndefined()
  expect(nextScene(vmi('Scheduled'), timing)).toEqual({ phase: 'Running', afterMs: 10 })
  expect(nextScene(vmi('Running'), timing)).toBeUndefined()
  expect(nextScene(vmi('Running', true), timing)).toEqual({ phase: 'Succeeded', afterMs: 20 })
  expect(nextScene(vmi('Scheduled', true), timing)).toEqual({ phase: 'Succeeded', afterMs: 20 })
  expect(nextScene(vmi('Succeeded', true), timing)).toBeUndefined()
})

test('a running guest can migrate and has an address, an ended one has none', () => {
  const now = new Date('2026-01-01T00:00:01.500Z')
  const running = played(vmi('Scheduled'), { phase: 'Running', afterMs: 0 }, now)
  expect(running.status?.conditions?.map(({ type }) => type)).toEqual(['LiveMigratable', 'StorageLiveMigratable'])
  expect(running.status?.interfaces?.[0]?.ipAddress).toBe('198.18.0.2')
  const ended = played(running, { phase: 'Succeeded', afterMs: 0 }, now)
  expect(ended.status?.interfaces).toEqual([expect.not.objectContaining({ ipAddress: expect.anything() })])
  expect(ended.status?.phaseTransitionTimestamps?.at(-1)).toEqual({
    phase: 'Succeeded',
    phaseTransitionTimestamp: '2026-01-01T00:00:01Z',
  })
})

test('a guest that starts makes its VMI ready where nothing else was missing', () => {
  const now = new Date('2026-01-01T00:00:01Z')
  const readyAfter = (pod: 'podReady' | 'podUnready') => {
    const waiting = vmi('Scheduled')
    waiting.status = { ...waiting.status, conditions: [guestNotRunning(pod)] } as never
    return played(waiting, { phase: 'Running', afterMs: 0 }, now).status?.conditions?.[0]?.status
  }
  expect(readyAfter('podReady')).toBe('True')
  expect(readyAfter('podUnready')).toBe('False')
})
