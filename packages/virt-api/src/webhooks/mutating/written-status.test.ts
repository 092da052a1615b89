import { expect, test } from '@jest/globals'
import type { AdmissionRequest, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { AdmissionContext } from '../admitter.ts'
import { writtenStatus } from './written-status.ts'

type Status = VirtualMachineInstance['status']

const context = { namespace: 'kubevirt' } as AdmissionContext
const ready = { type: 'Ready', status: 'True' } as const
const home = { type: 'HomeAvailable', status: 'False', reason: 'HomeNodeCordoned' } as const
const status = (conditions: readonly object[], phase = 'Scheduling') => ({ phase, conditions }) as unknown as Status

const by = (account: string, old: Status, next: Status) => {
  const userInfo = { username: `system:serviceaccount:${account}` }
  return writtenStatus({ userInfo } as AdmissionRequest, context, old, next)
}

test('the scheduler may add its condition and take it away, and changes nothing else', () => {
  const before = status([ready])
  const told = by('kubevirt:stickyvm-scheduler', before, status([home], 'Running'))
  expect(told).toEqual(status([ready, home]))
  expect(by('kubevirt:stickyvm-scheduler', told, status([]))).toEqual(before)
})

test.each(['other:stickyvm-scheduler', 'kubevirt:default'])('%s may write nothing', (account) => {
  expect(by(account, status([ready]), status([ready, home]))).toEqual(status([ready]))
})

test('the controller may write all of it', () => {
  expect(by('kubevirt:kubevirt-controller', status([ready]), status([], 'Running'))).toEqual(status([], 'Running'))
})
