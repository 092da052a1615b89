import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance, VirtualMachineInstanceMigrationState } from '@kubevirt-ts/api'
import type { Domain, LifeCycle, StateChangeReason } from '@kubevirt-ts/domain'
import { isLeaving, isTarget } from './role.ts'
import { hasArrived } from './take-over.ts'

const guest = (nodeName: string, state?: VirtualMachineInstanceMigrationState): VirtualMachineInstance => ({
  metadata: { name: 'vm' },
  spec: { domain: { devices: {} } },
  status: { nodeName, ...(state ? { migrationState: { migrationUid: 'm', ...state } } : {}) },
})
const way = { sourceNode: 'a', targetNode: 'b' }

test('a guest on its way is the business of both nodes, each in its own role', () => {
  const vmi = guest('a', { ...way, targetNodeAddress: '198.18.1.1' })

  expect([isLeaving(vmi, 'a'), isTarget(vmi, 'a')]).toEqual([true, false])
  expect([isLeaving(vmi, 'b'), isTarget(vmi, 'b')]).toEqual([false, true])
})

test('until the target is ready the guest is looked after as ever', () => {
  expect(isLeaving(guest('a', way), 'a')).toBe(false)
})

test.each([
  ['arrived', guest('b', { ...way, targetNodeAddress: 'x', completed: true })],
  ['stayed', guest('a', { ...way, targetNodeAddress: 'x', completed: true, failed: true })],
  ['never moved', guest('a')],
])('a guest that has %s is on no way', (_, vmi) => {
  for (const node of ['a', 'b']) expect([isLeaving(vmi, node), isTarget(vmi, node)]).toEqual([false, false])
})

test.each<[boolean, LifeCycle, StateChangeReason]>([
  [false, 'Paused', 'Migration'],
  [false, 'Running', 'Postcopy'],
  [false, 'Running', 'PostcopyFailed'],
  [false, 'Paused', 'PostcopyFailed'],
  [false, 'Shutoff', 'Failed'],
  [true, 'Running', 'Unpaused'],
  [true, 'Paused', 'User'],
])('arrived: %s for a domain that is %s, %s', (arrived, status, reason) => {
  expect(hasArrived({ status: { status, reason } } as Domain)).toBe(arrived)
})
