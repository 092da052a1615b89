import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { storageKept } from './hotplug.ts'

const root = {
  volume: { name: 'root', containerDisk: { image: 'i' } },
  disk: { name: 'root', disk: { bus: 'virtio' } },
}
const plugged = (bus = 'scsi', target = 'disk') => ({
  volume: { name: 'data', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } },
  disk: { name: 'data', [target]: { bus } },
})

type Pair = { readonly volume?: object; readonly disk?: object }

const vmi = (pairs: readonly Pair[], status: object = {}) =>
  ({
    metadata: { name: 'a' },
    spec: {
      domain: { devices: { disks: pairs.flatMap(({ disk }) => disk ?? []) } },
      volumes: pairs.flatMap(({ volume }) => volume ?? []),
    },
    status,
  }) as unknown as VirtualMachineInstance

const messages = (before: readonly Pair[], after: readonly Pair[], status: object = {}) =>
  storageKept(vmi(before), vmi(after, status)).map(({ message }) => message)

const other = { ...root, volume: { name: 'root', containerDisk: { image: 'j' } } }

test.each<[string, readonly Pair[], readonly Pair[], string[]]>([
  ['a plugged volume comes', [root], [root, plugged()], []],
  ['a plugged volume goes', [root, plugged()], [root], []],
  ['a permanent volume goes', [root], [], ['Number of permanent volumes has changed']],
  ['a permanent volume comes', [], [root], ['Number of permanent volumes has changed']],
  ['a permanent volume changes', [root], [other], ['Permanent volume root, changed']],
  ['its disk changes', [root], [{ ...root, disk: { name: 'root', disk: {} } }], ['Permanent disk root, changed']],
  [
    'a permanent volume is replaced',
    [root],
    [{ volume: { name: 'new', emptyDisk: {} } }],
    ['Permanent volume new, not found'],
  ],
  [
    'a plugged disk is on sata',
    [root],
    [root, plugged('sata')],
    ['hotplugged Disk data must use the bus scsi or virtio; it uses sata'],
  ],
  [
    'a plugged LUN is on virtio',
    [root],
    [root, plugged('virtio', 'lun')],
    ['hotplugged Disk data must use the bus scsi; it uses virtio'],
  ],
  ['a plugged volume has no disk', [root], [root, { volume: plugged().volume }], ['Disk data does not exist']],
  [
    'a plugged volume changes',
    [root, plugged()],
    [root, { ...plugged(), volume: { name: 'data', dataVolume: { name: 'c', hotpluggable: true } } }],
    ['hotplug volume data, changed'],
  ],
  [
    'an empty drive gets a volume',
    [root, { disk: plugged('sata', 'cdrom').disk }],
    [root, plugged('sata', 'cdrom')],
    [],
  ],
  ['memory is dumped', [root], [root, { volume: { name: 'dump', memoryDump: { claimName: 'c' } } }], []],
])('%s', (_case, before, after, expected) => {
  expect(messages(before, after)).toEqual(expected)
})

test('so may one whose move was taken back, on its way to where it was', () => {
  const moving = vmi([other], { migratedVolumes: [{ volumeName: 'root' }] })
  expect(storageKept(moving, vmi([root]))).toEqual([])
})

test('a volume that is being moved to another claim may change', () => {
  expect(messages([root], [other], { migratedVolumes: [{ volumeName: 'root' }] })).toEqual([])
})
