import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

const causesOfDisk = (disk: object) =>
  causesOf(
    { volumes: [{ name: 'd', containerDisk: { image: 'x' } }] },
    { devices: { disks: [{ name: 'd', ...disk }] } },
  )
const path = 'spec.domain.devices.disks'

test('sizes of blocks: the first thing that is wrong with them together', () => {
  const custom = (sizes: object) => ({ disk: { bus: 'virtio' }, blockSize: { custom: sizes } })
  expect(causesOfDisk(custom({ logical: 513, physical: 512 }))).toEqual([
    `FieldValueInvalid ${path}[0].blockSize.custom.logical`,
  ])
  expect(causesOfDisk(custom({ logical: 513, physical: 514 }))).toEqual([
    `FieldValueInvalid ${path}[0].blockSize.custom.logical`,
    `FieldValueInvalid ${path}[0].blockSize.custom.physical`,
  ])
})

test('an I/O thread of its own needs the virtio bus, whatever the target', () => {
  expect(causesOfDisk({ cdrom: { bus: 'sata' }, dedicatedIOThread: true })).toEqual([
    `FieldValueNotSupported ${path}.domain.devices.disks[0]`,
  ])
})

test('a name that is no DNS label is told under the doubled path that clients match on', () => {
  const given = { volumes: [{ name: 'D_', containerDisk: { image: 'x' } }] }
  expect(causesOf(given, { devices: { disks: [{ name: 'D_', disk: {} }] } })).toEqual([
    `FieldValueInvalid ${path}.domain.devices.disks[0].name`,
    'FieldValueInvalid spec.volumes[0].name',
  ])
})
