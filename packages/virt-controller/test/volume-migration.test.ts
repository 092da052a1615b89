import { expect, test } from '@jest/globals'
import { persistentVolumeClaims, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim } from '@kubevirt-ts/api'
import { vm, vmi, withMemory, withName, withPersistentVolumeClaim, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorld, untilRunning } from './world.ts'
import type { World } from './world.ts'

const namespace = 'default'
const reference = { namespace, name: 'web' }

const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, uid: `${name}-uid` },
  spec: { volumeMode: 'Filesystem', accessModes: ['ReadWriteOnce'] },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
})

const volumesOn = (claimName: string) => [{ name: 'data', persistentVolumeClaim: { claimName } }]

/** A VM whose guest runs on claim `old`, and the claim to which its disk can go. */
async function runningWorld(): Promise<World> {
  const template = vmi(withName('web'), withMemory('64Mi'), withPersistentVolumeClaim('data', 'old'))
  const machine = vm(template, withUid('vm-uid'), withRunStrategy('Always'))
  machine.spec.updateVolumesStrategy = 'Migration'
  const world = createWorld(machine, claim('old') as never, claim('new') as never)
  await untilRunning(world)
  const conditions = [{ type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable' }]
  await tell(world, { conditions: [...(world.vmi()?.status?.conditions ?? []), ...conditions] })
  return world
}

const tell = (world: World, status: object) =>
  world.client.patch(virtualMachineInstances, reference, { status }, { type: 'merge' })

/** What a user writes. */
async function wantOn(world: World, claimName: string): Promise<void> {
  const body = { spec: { template: { spec: { volumes: volumesOn(claimName) } } } }
  await world.client.patch(virtualMachines, reference, body, { type: 'merge' })
  await world.settle()
}

const conditionOf = (world: World, type: string) =>
  world.vm()?.status?.conditions?.find((condition) => condition.type === type)

test('another claim in the template makes the running guest move its disk there', async () => {
  const world = await runningWorld()
  await wantOn(world, 'new')
  expect(world.problems).toEqual([])
  expect(world.vmi()?.spec.volumes).toEqual(volumesOn('new'))
  const migratedVolumes = [
    {
      volumeName: 'data',
      sourcePVCInfo: expect.objectContaining({ claimName: 'old', capacity: { storage: '1Gi' } }),
      destinationPVCInfo: expect.objectContaining({ claimName: 'new' }),
    },
  ]
  expect(world.vmi()?.status?.migratedVolumes).toEqual(migratedVolumes)
  expect(conditionOf(world, 'VolumesChange')).toMatchObject({ status: 'True' })
  expect(conditionOf(world, 'RestartRequired')).toBeUndefined()
  expect(world.vm()?.status?.volumeUpdateState).toEqual({ volumeMigrationState: { migratedVolumes } })

  const { migratedVolumes: _done, conditions = [], ...status } = world.vmi()!.status!
  const arrived = { ...status, conditions: conditions.filter(({ type }) => type !== 'VolumesChange') }
  await world.client.update(virtualMachineInstances, { ...world.vmi()!, status: arrived })
  await world.settle()
  expect(world.vm()?.status?.volumeUpdateState).toBeUndefined()
  expect(conditionOf(world, 'VolumesChange')).toBeUndefined()
  expect(conditionOf(world, 'RestartRequired')).toBeUndefined()
})

test('whoever sets the claim back takes the move back', async () => {
  const world = await runningWorld()
  await wantOn(world, 'new')
  await tell(world, { migrationState: { migrationUid: 'a' } })
  await wantOn(world, 'old')
  expect(conditionOf(world, 'VolumesChange')).toMatchObject({ status: 'False', reason: 'VolumesChangeCancellation' })
  expect(world.vmi()?.spec.volumes).toEqual(volumesOn('new'))

  await tell(world, { migrationState: { migrationUid: 'a', completed: true, failed: true } })
  await world.settle()
  expect(world.vmi()?.spec.volumes).toEqual(volumesOn('old'))
  expect(world.vmi()?.status?.migratedVolumes).toBeUndefined()
  expect(world.vm()?.status?.volumeUpdateState).toBeUndefined()
})

test('a guest that fails on the way is not started from a claim that may be half full', async () => {
  const world = await runningWorld()
  await wantOn(world, 'new')
  await world.agent('Failed')
  await world.podGone()
  await world.settle()
  world.pass(3_600_000)
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(conditionOf(world, 'ManualRecoveryRequired')).toMatchObject({ status: 'True' })
  expect(world.client.objects(persistentVolumeClaims)).toHaveLength(2)

  await wantOn(world, 'old')
  expect(conditionOf(world, 'ManualRecoveryRequired')).toBeUndefined()
  expect(world.vmi()?.spec.volumes).toEqual(volumesOn('old'))
})

test('a claim that is not there yet is named', async () => {
  const world = await runningWorld()
  await wantOn(world, 'later')
  expect(conditionOf(world, 'Failure')).toMatchObject({
    reason: 'VolumesUpdateError',
    message: expect.stringContaining('default/later'),
  })
  await world.client.create(persistentVolumeClaims, claim('later'))
  await world.settle()
  expect(conditionOf(world, 'Failure')).toBeUndefined()
  expect(world.vmi()?.spec.volumes).toEqual(volumesOn('later'))
})
