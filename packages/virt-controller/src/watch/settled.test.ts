import { expect, test } from '@jest/globals'
import { listerOf } from '@kubevirt-ts/controller/testing'
import { WorkQueue } from '@kubevirt-ts/controller'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vm, vmi, withName, withStatus } from '@kubevirt-ts/libvmi'
import { foundGuest, foundVm } from './settled.ts'

const guest = (name: string, phase: string): VirtualMachineInstance => vmi(withName(name), withStatus({ phase }))

test('of all guests that a new leader finds those that wait for it come first', async () => {
  const queue = new WorkQueue({ name: 'test' })
  const found = listerOf([
    guest('a', 'Running'),
    guest('b', 'Pending'),
    guest('c', 'Running'),
    guest('d', 'Scheduling'),
  ])
  for (const each of found.list()) queue.add(each.metadata.name, foundGuest(each))
  const order = [await queue.next(), await queue.next(), await queue.next(), await queue.next()]
  expect(order).toEqual(['b', 'd', 'a', 'c'])
})

test('a guest that is being deleted, and a VM that was changed meanwhile or is asked for something, do not rest', () => {
  const rests = foundGuest(guest('a', 'Running'))
  const leaving = guest('a', 'Running')
  leaving.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  expect(foundGuest(leaving)).not.toEqual(rests)

  const machine = vm(vmi())
  machine.metadata.generation = 2
  machine.status = { ready: true, observedGeneration: 2 }
  expect(foundVm(machine)).toEqual(rests)
  expect(foundVm({ ...machine, status: { ready: true, observedGeneration: 1 } })).not.toEqual(rests)
  expect(foundVm({ ...machine, status: { ...machine.status, ready: false } })).not.toEqual(rests)
  const asked = { ...machine.status, stateChangeRequests: [{ action: 'Stop' as const }] }
  expect(foundVm({ ...machine, status: asked })).not.toEqual(rests)
})
