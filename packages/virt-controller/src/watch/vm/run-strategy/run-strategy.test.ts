import { expect, test } from '@jest/globals'
import type { VirtualMachineStateChangeRequest } from '@kubevirt-ts/api'
import { vm, vmi, withPhase, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import type { Seen } from '../seen.ts'
import { decide } from './index.ts'
import type { Decision } from './index.ts'
import { noStorage } from '../../storage/no-storage.ts'

const now = new Date('2026-01-01T00:00:00Z')

type Guest = 'none' | 'WaitingForSync' | 'Running' | 'Succeeded' | 'Failed'
type Request = 'none' | 'Start' | 'Stop'

function seen(strategy: string, guest: Guest, request: Request, lastStrategy = strategy): Seen {
  const object = vm(vmi(), withRunStrategy(strategy as 'Always'))
  const requests: Record<Request, VirtualMachineStateChangeRequest[]> = {
    none: [],
    Start: [{ action: 'Start' }],
    Stop: [{ action: 'Stop', uid: 'guest' }],
  }
  object.status = { runStrategy: lastStrategy, stateChangeRequests: requests[request] }
  return {
    vm: object,
    vmi: guest === 'none' ? undefined : vmi(withUid('guest'), withPhase(guest)),
    foreignVmi: false,
    startedSpec: undefined,
    settled: true,
    dataVolumesSettled: true,
    ...noStorage,
    now,
    random: 0,
  }
}

test.each<[strategy: string, guest: Guest, request: Request, expected: Decision['vmi']]>([
  ['Always', 'none', 'none', 'start'],
  ['Always', 'Running', 'none', 'leave'],
  ['Always', 'Running', 'Stop', 'stop'],
  ['Always', 'Succeeded', 'none', 'stop'],
  ['Always', 'Failed', 'none', 'stop'],
  ['RerunOnFailure', 'none', 'none', 'leave'],
  ['RerunOnFailure', 'none', 'Start', 'start'],
  ['RerunOnFailure', 'Running', 'none', 'leave'],
  ['RerunOnFailure', 'Running', 'Stop', 'stop'],
  ['RerunOnFailure', 'Succeeded', 'none', 'stop'],
  ['RerunOnFailure', 'Failed', 'none', 'stop'],
  ['Manual', 'none', 'none', 'leave'],
  ['Manual', 'none', 'Start', 'start'],
  ['Manual', 'Running', 'none', 'leave'],
  ['Manual', 'Running', 'Stop', 'stop'],
  ['Manual', 'Succeeded', 'none', 'leave'],
  ['Manual', 'Failed', 'Start', 'stop'],
  ['Halted', 'none', 'none', 'leave'],
  ['Halted', 'Running', 'none', 'stop'],
  ['Halted', 'Succeeded', 'none', 'stop'],
  ['Once', 'none', 'none', 'start'],
  ['Once', 'Running', 'none', 'leave'],
  ['Once', 'Failed', 'none', 'leave'],
  ['WaitAsReceiver', 'none', 'none', 'start'],
  ['WaitAsReceiver', 'WaitingForSync', 'none', 'leave'],
  ['WaitAsReceiver', 'WaitingForSync', 'Stop', 'stop'],
  ['WaitAsReceiver', 'Running', 'none', 'leave'],
  ['WaitAsReceiver', 'Failed', 'none', 'leave'],
  ['Always', 'WaitingForSync', 'none', 'stop'],
  ['RerunOnFailure', 'WaitingForSync', 'none', 'stop'],
  ['Manual', 'WaitingForSync', 'none', 'stop'],
])('%s with guest %s and request %s: %s', (strategy, guest, request, expected) => {
  expect(decide(seen(strategy, guest, request)).vmi).toBe(expected)
})

test('a VM that was just set to RerunOnFailure starts', () => {
  expect(decide(seen('RerunOnFailure', 'none', 'none', 'Halted')).vmi).toBe('start')
})

test('a failed guest is asked for again, one that ended well is not', () => {
  expect(decide(seen('RerunOnFailure', 'Failed', 'none')).enqueueStart).toBe(true)
  expect(decide(seen('RerunOnFailure', 'Succeeded', 'none')).enqueueStart).toBe(false)
})

test('a start that was asked of a halted VM turns it on', () => {
  expect(decide(seen('Halted', 'none', 'Start'))).toEqual({ vmi: 'leave', flipTo: 'Always' })
})

test('a stop that names no guest keeps no start behind it from being served', () => {
  const { vm: object, ...rest } = seen('Manual', 'none', 'none')
  const stateChangeRequests: VirtualMachineStateChangeRequest[] = [{ action: 'Stop' }, { action: 'Start' }]
  expect(decide({ ...rest, vm: { ...object, status: { stateChangeRequests } } }).vmi).toBe('start')
})

test('an unknown strategy does nothing', () => {
  expect(decide(seen('Sometimes', 'Running', 'none'))).toEqual({ vmi: 'leave' })
})
