import { expect, test } from '@jest/globals'
import { virtualMachines } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { alwaysVm, reference, runningWorld } from './always-vm.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

/** As an admission rule does that was made after the VM. */
function refuseVms(world: World): { readonly end: () => void } {
  let isRefused = true
  world.client.intercept(({ resource, verb, subresource }) => {
    if (!isRefused || resource !== 'virtualmachines' || verb !== 'patch' || subresource !== undefined) return
    const details = { causes: [{ reason: 'FieldValueInvalid', message: 'a rule says no' }] }
    throw new ApiError({ code: 422, reason: 'Invalid', message: 'a rule says no', details }, { request: 'PATCH' })
  })
  return { end: () => void (isRefused = false) }
}

const failure = (world: World) => world.vm()?.status?.conditions?.find(({ type }) => type === 'Failure')

test('a VM that may not be written says why it does not start', async () => {
  const world = createWorld(alwaysVm())
  const rule = refuseVms(world)
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(failure(world)).toMatchObject({
    reason: 'FirmwareUUIDError',
    message: expect.stringContaining('a rule says no'),
  })
  expect(world.events.filter((event) => event === 'VirtualMachine FirmwareUUIDError')).toHaveLength(1)
  rule.end()
  await world.settle()
  expect(failure(world)).toBeUndefined()
  expect(world.vmi()).toBeDefined()
})

test('its running guest can be stopped all the same', async () => {
  const world = await runningWorld()
  const finalizers = { metadata: { finalizers: [] }, spec: { runStrategy: 'Halted' } }
  await world.client.patch(virtualMachines, reference, finalizers, { type: 'merge' })
  refuseVms(world)
  await world.settle()
  expect(world.vmi()?.metadata.deletionTimestamp).toBeDefined()
  expect(failure(world)).toMatchObject({ reason: 'FirmwareUUIDError' })
})
