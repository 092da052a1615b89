import { virtualMachines } from '@kubevirt-ts/api'
import { vm, vmi, withContainerDisk, withMemory, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorld, untilRunning } from './world.ts'
import type { World } from './world.ts'

export const reference = { namespace: 'default', name: 'web' }

/** A VM that runs always; further pieces change it. */
export function alwaysVm(...pieces: Parameters<typeof vm>[1][]) {
  const template = vmi(withName('web'), withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi'))
  return vm(template, withUid('vm-uid'), withRunStrategy('Always'), ...pieces)
}

/** A world in which the guest of such a VM runs. */
export async function runningWorld(
  strategy: 'Always' | 'RerunOnFailure' | 'Manual' | 'Once' = 'Always',
): Promise<World> {
  const world = createWorld(alwaysVm(withRunStrategy(strategy)))
  if (strategy === 'Manual') await request(world, { action: 'Start' })
  await untilRunning(world)
  return world
}

/** Writes requests as the API does for start, stop and restart. */
export async function request(world: World, ...requests: object[]): Promise<void> {
  const body = { status: { stateChangeRequests: requests } }
  await world.client.patch(virtualMachines, reference, body, { type: 'merge', subresource: 'status' })
}
