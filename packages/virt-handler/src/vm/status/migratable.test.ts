import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi, withPersistentVolumeClaim, withStatus } from '@kubevirt-ts/libvmi'
import { migrationBlockers, migrationMethod } from './migratable.ts'

type Volumes = VirtualMachineInstance['spec']['volumes']
type Devices = VirtualMachineInstance['spec']['domain']['devices']

const methodOf = (volumes: Volumes, devices: Devices = {}): string =>
  migrationMethod({ metadata: { name: 'vm' }, spec: { domain: { devices }, volumes: volumes ?? [] } })

const claim = { claimName: 'c' }

test('a guest whose disks both nodes have leaves them where they are', () => {
  expect(
    methodOf([
      { name: 'a', persistentVolumeClaim: claim },
      { name: 'b', dataVolume: { name: 'd' } },
    ]),
  ).toBe('LiveMigration')
})

test('a guest with a disk of its node takes it along, also where that lies over a claim', () => {
  expect(
    methodOf([
      { name: 'a', persistentVolumeClaim: claim },
      { name: 'b', containerDisk: { image: 'i' } },
    ]),
  ).toBe('BlockMigration')
  expect(methodOf([{ name: 'a', ephemeral: { persistentVolumeClaim: claim } }])).toBe('BlockMigration')
})

test('what is no disk, or cannot be written to, is not taken along', () => {
  expect(
    methodOf(
      [
        { name: 'a', configMap: { name: 'm' } },
        { name: 'b', sysprep: { configMap: { name: 'm' } } },
      ],
      { filesystems: [{ name: 'a', virtiofs: {} }], disks: [{ name: 'b', cdrom: { bus: 'sata' } }] },
    ),
  ).toBe('LiveMigration')
})

function moving(...names: string[]): VirtualMachineInstance {
  const volumeStatus = ['data', 'more'].map((name) => ({
    name,
    target: '',
    persistentVolumeClaimInfo: { accessModes: ['ReadWriteOnce'] },
  }))
  const migratedVolumes = names.map((volumeName) => ({ volumeName }))
  return vmi(withPersistentVolumeClaim('data', 'a'), withStatus({ volumeStatus, migratedVolumes }))
}

test('a claim of one node keeps its guest there, unless its content goes to another one', () => {
  expect(migrationBlockers(moving())).toEqual([expect.objectContaining({ reason: 'DisksNotLiveMigratable' })])
  expect(migrationBlockers(moving('data'))).toEqual([])
  expect(migrationMethod(moving())).toBe('LiveMigration')
  expect(migrationMethod(moving('data'))).toBe('BlockMigration')
})

test('a volume that stays keeps it there all the same', () => {
  const both = moving('data')
  both.spec.volumes?.push({ name: 'more', persistentVolumeClaim: { claimName: 'b' } })
  expect(migrationBlockers(both)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('volume more is not shared') }),
  ])
})
