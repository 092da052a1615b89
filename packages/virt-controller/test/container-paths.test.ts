import { expect, test } from '@jest/globals'
import { pods } from '@kubevirt-ts/api'
import { vm, vmi, withMemory, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorldWith } from './world.ts'
import type { World } from './world.ts'

function worldWith(...featureGates: string[]): World {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.volumes = [{ name: 'token', containerPath: { path: '/var/run/secrets/token' } }]
    object.spec.domain.devices.filesystems = [{ name: 'token', virtiofs: {} }]
  })
  const machine = vm(template, withUid('vm-uid'), withRunStrategy('Always'))
  return createWorldWith({ developerConfiguration: { useEmulation: true, featureGates } }, machine)
}

const synchronized = (world: World) => world.vmi()?.status?.conditions?.find(({ type }) => type === 'Synchronized')

test('a guest that shares a folder of a container has no pod where the cluster does not allow it', async () => {
  const world = worldWith()
  await world.settle()
  expect(world.pod()).toBeUndefined()
  expect(synchronized(world)).toMatchObject({
    reason: 'ContainerPathVolumesDisabled',
    message: expect.stringContaining('volume token'),
  })
})

test('it is not handed over in a pod to which nobody gave the container that shares the folder', async () => {
  const world = worldWith('ContainerPathVolumes')
  await world.settle()
  await world.kubelet('running')
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
  expect(synchronized(world)).toMatchObject({
    reason: 'MissingVirtiofsContainers',
    message: expect.stringContaining('virtiofs-token'),
  })
})

test('it is handed over in a pod that has it', async () => {
  const world = worldWith('ContainerPathVolumes')
  await world.settle()
  const pod = world.pod()!
  const containers = [...pod.spec.containers, { name: 'virtiofs-token', image: 'x' }]
  await world.client.update(pods, { ...pod, spec: { ...pod.spec, containers } })
  await world.kubelet('running')
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Scheduled')
  expect(synchronized(world)).toBeUndefined()
})
