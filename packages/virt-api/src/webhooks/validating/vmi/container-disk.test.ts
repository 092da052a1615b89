import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('a path inside an image may end in a slash', () => {
  const volume = (imagePath: string) =>
    causesOf(
      { volumes: [{ name: 'd', containerDisk: { image: 'x', path: imagePath } }] },
      { devices: { disks: [{ name: 'd', disk: {} }] } },
    )
  expect(volume('/disk/')).toEqual([])
  expect(volume('/disk//')).toEqual(['FieldValueInvalid spec.volumes[0].containerDisk'])
})
