import { describe, expect, test } from '@jest/globals'
import type { MediatedDevicesConfiguration } from '@kubevirt-ts/api'
import { createLogger } from '@kubevirt-ts/service'
import { mkdir, readFile, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { openStateFolder } from '../../../host/state-folder.ts'
import { type HostFixture, hostFixture } from '../permitted/host-fixture.ts'
import { configureMediatedTypes, type MadeDevice } from './configure.ts'
import { type DesiredTypes, desiredTypes } from './desired.ts'
import { groupsInUse } from './groups-in-use.ts'
import { devicesToCreate, devicesToRemove } from './plan.ts'

describe('which types a node has', () => {
  const mediatedDevicesConfiguration: MediatedDevicesConfiguration = {
    mediatedDeviceTypes: ['nvidia-222'],
    nodeMediatedDeviceTypes: [
      { nodeSelector: { zone: 'a' }, mediatedDeviceTypes: ['GRID T4-1Q', 'nvidia-228'] },
      { nodeSelector: { zone: 'a', size: 'big' }, mediatedDevicesTypes: ['nvidia-228', 'nvidia-230'] },
    ],
  }
  const make = (labels: Record<string, string>) => desiredTypes({ mediatedDevicesConfiguration }, labels)?.make

  test('those of every selector that matches, by either name of the field, else those of all nodes', () => {
    expect(make({})).toEqual(['nvidia-222'])
    expect(make({ size: 'big' })).toEqual(['nvidia-222'])
    expect(make({ zone: 'a' })).toEqual(['GRID_T4-1Q', 'nvidia-228'])
    expect(make({ zone: 'a', size: 'big' })).toEqual(['GRID_T4-1Q', 'nvidia-228', 'nvidia-230'])
  })

  test('none is made where nothing is configured, and nothing is touched where it is switched off', () => {
    expect(desiredTypes({}, {})).toEqual({ make: [], leave: [] })
    expect(desiredTypes({ mediatedDevicesConfiguration: { enabled: false } }, {})).toBeUndefined()
  })

  test('types that somebody else provides are left alone', () => {
    const mine = { mdevNameSelector: 'GRID T4-1Q', resourceName: 'a.org/a' }
    const mediatedDevices = [mine, { ...mine, mdevNameSelector: 'GRID T4-2Q', externalResourceProvider: true }]
    expect(desiredTypes({ permittedHostDevices: { mediatedDevices } }, {})?.leave).toEqual(['GRID_T4-2Q'])
  })
})

describe('what is made', () => {
  const type = (parent: string, typeId: string, available: number) => ({ parent, typeId, typeName: typeId, available })

  test('types take turns on the cards, and each card gives parts of one type', () => {
    const supported = ['c1', 'c2', 'c3'].flatMap((card) => [type(card, 'one', 16), type(card, 'two', 8)])
    expect(devicesToCreate({ make: ['one', 'two'], leave: [] }, [], supported)).toEqual([
      { parent: 'c1', typeId: 'one', count: 16 },
      { parent: 'c2', typeId: 'two', count: 8 },
      { parent: 'c3', typeId: 'one', count: 16 },
    ])
  })

  test('a card that has parts, or can give none, is left', () => {
    const device = { uuid: 'u', typeId: 'two', typeName: 'two', parent: 'c1', iommuGroup: '1', numaNode: undefined }
    const supported = [type('c1', 'one', 16), type('c2', 'one', 0), type('c3', 'three', 4)]
    expect(devicesToCreate({ make: ['one'], leave: [] }, [device], supported)).toEqual([])
  })
})

describe('what is removed', () => {
  const device = (uuid: string, typeName: string, iommuGroup: string) => {
    return { uuid, typeId: `id-of-${typeName}`, typeName, parent: 'c', iommuGroup, numaNode: undefined }
  }
  const devices = [
    device('a', 'old', '1'),
    device('b', 'wanted', '2'),
    device('c', 'theirs', '3'),
    device('d', 'old', '4'),
  ]
  const removed = (desired: DesiredTypes, more: { made?: string[]; inUse?: string[] } = {}) =>
    devicesToRemove(desired, { devices, made: new Set(more.made), inUse: new Set(more.inUse) }).map(({ uuid }) => uuid)

  test('what is neither desired nor somebody else’s', () => {
    expect(removed({ make: ['wanted'], leave: ['theirs'] })).toEqual(['a', 'd'])
    expect(removed({ make: ['id-of-wanted'], leave: ['theirs'] })).toEqual(['a', 'd'])
  })

  test('nothing that a guest has', () => {
    expect(removed({ make: ['wanted'], leave: ['theirs'] }, { inUse: ['4'] })).toEqual(['a'])
  })

  test('where nothing is desired only what virt-handler made', () => {
    expect(removed({ make: [], leave: [] })).toEqual([])
    expect(removed({ make: [], leave: [] }, { made: ['a', 'b'] })).toEqual(['a', 'b'])
  })
})

test('groups in use are read from the open files of all processes', async () => {
  await using host = await hostFixture()
  const fds = join(host.root, 'proc/12/fd')
  await mkdir(fds, { recursive: true })
  await mkdir(join(host.root, 'proc/self'))
  for (const [fd, target] of [
    ['3', '/dev/vfio/vfio'],
    ['4', '/dev/vfio/21'],
    ['5', '/dev/null'],
  ] as const)
    await symlink(target, join(fds, fd))
  expect([...(await groupsInUse(join(host.root, 'proc')))]).toEqual(['21'])
})

describe('the configuration of a host', () => {
  const log = createLogger({ component: 'test', destination: { write: () => undefined } })
  const card = '0000:65:00.0'
  const uuid = '5ac3cb31-1e0e-4ee1-b7d3-4d3a4a6a1f00'
  const typeFile = (host: HostFixture, file: string) =>
    join(host.sysfs, 'class/mdev_bus', card, 'mdev_supported_types/nvidia-222', file)

  async function configure(host: HostFixture, desired: DesiredTypes, inUse: string[] = []) {
    const records = await openStateFolder<MadeDevice>(join(host.root, 'records'))
    await configureMediatedTypes(desired, {
      sysfs: host.sysfs,
      records,
      groupsInUse: () => Promise.resolve(new Set(inUse)),
      log,
    })
  }

  async function withCard(host: HostFixture): Promise<void> {
    await host.pci(card, { id: '10de:1eb8', driver: 'nvidia' })
    await host.mediatedType(card, 'nvidia-222', { name: 'GRID T4-1Q', available: 2 })
  }

  test('devices are made by their UUID, which is on record before', async () => {
    await using host = await hostFixture()
    await withCard(host)
    await configure(host, { make: ['GRID_T4-1Q'], leave: [] })
    const records = await readdir(join(host.root, 'records'))
    expect(records).toHaveLength(2)
    // A plain file keeps what was written last.
    expect(records).toContain(`${await readFile(typeFile(host, 'create'), 'utf8')}.json`)
  })

  test('a device of another type is removed, unless a guest has it', async () => {
    await using host = await hostFixture()
    await withCard(host)
    await host.mediatedType(card, 'nvidia-230', { name: 'GRID T4-2Q', available: 0 })
    await host.mediated(uuid, { parent: card, typeId: 'nvidia-230', group: '20' })
    const removal = () => readFile(join(host.sysfs, 'bus/mdev/devices', uuid, 'remove'), 'utf8')

    await configure(host, { make: ['nvidia-222'], leave: [] }, ['20'])
    expect(await removal()).toBe('')
    await configure(host, { make: ['nvidia-222'], leave: [] })
    expect(await removal()).toBe('1')
  })

  test('a host without such cards is left as it is', async () => {
    await using host = await hostFixture()
    await configure(host, { make: ['nvidia-222'], leave: [] })
    expect(await readdir(join(host.root, 'records'))).toEqual([])
  })
})
