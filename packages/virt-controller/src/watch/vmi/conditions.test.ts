import { expect, test } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { isOnlyGuestMissing } from '@kubevirt-ts/vmispec'
import { readyVerdict } from './conditions.ts'

const pod = (ready: string | undefined, deleted = false): Pod =>
  ({
    metadata: { name: 'p', ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    status: {
      conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready, reason: 'Why', message: 'how' }],
    },
  }) as never

const missesGuestAlone = (phase: string, launcher: Pod | undefined): boolean =>
  isOnlyGuestMissing({ status: { conditions: [readyVerdict(phase, launcher)] } } as never)

test('before the guest runs the node agent is told whether anything else is missing', () => {
  expect(readyVerdict('Scheduled', pod('True'))).toMatchObject({ status: 'False', reason: 'GuestNotRunning' })
  expect(readyVerdict('Scheduled', pod('False'))).toMatchObject({ status: 'False', reason: 'GuestNotRunning' })
  expect(missesGuestAlone('Scheduled', pod('True'))).toBe(true)
  expect(missesGuestAlone('Scheduled', pod('False'))).toBe(false)
  expect(missesGuestAlone('Scheduled', pod(undefined))).toBe(false)
  expect(missesGuestAlone('Scheduled', pod('True', true))).toBe(false)
  expect(missesGuestAlone('Scheduled', undefined)).toBe(false)
})

test('a running guest is as ready as its pod', () => {
  expect(readyVerdict('Running', pod('True'))).toMatchObject({ status: 'True' })
  expect(readyVerdict('Running', pod('False'))).toMatchObject({ status: 'False', reason: 'Why', message: 'how' })
  expect(readyVerdict('Running', pod(undefined))).toMatchObject({ reason: 'PodConditionMissing' })
})
