import { expect, test } from '@jest/globals'
import { vmi, withContainerDisk, withEmptyDisk, withPersistentVolumeClaim, withVolume } from '@kubevirt-ts/libvmi'
import { claimName } from './sources.ts'
import { containerDisks, defaultPullPolicy, isAttached } from './volumes.ts'

test('a container disk keeps its place among all volumes', () => {
  const { spec } = vmi(withEmptyDisk('e', '1Gi'), withContainerDisk('a', 'img'), withContainerDisk('b', 'img'))
  expect(containerDisks(spec).map(({ name, index }) => [name, index])).toEqual([
    ['a', 1],
    ['b', 2],
  ])
})

test.each([
  ['example/os', 'Always'],
  ['example/os:latest', 'Always'],
  ['example/os:v1', 'IfNotPresent'],
  ['host:5000/os', 'Always'],
  ['example/os@sha256:00', 'IfNotPresent'],
])('%s is pulled %s by default', (image, policy) => {
  expect(defaultPullPolicy(image)).toBe(policy)
})

test('a volume without disk and filesystem is not attached', () => {
  const { spec } = vmi(withPersistentVolumeClaim('p', 'claim'), withVolume({ name: 's', secret: { secretName: 'x' } }))
  expect(spec.volumes?.map((volume) => [isAttached(spec, volume), claimName(volume)])).toEqual([
    [true, 'claim'],
    [false, undefined],
  ])
})
