import { expect, test } from '@jest/globals'
import { vmi, withPersistentVolumeClaim, withStatus } from '@kubevirt-ts/libvmi'
import { diskImages } from './disk-images.ts'

const mebibyte = 1024n * 1024n
const info = (storage: string) => ({ volumeMode: 'Filesystem', capacity: { storage } }) as const
const volumeStatus = [{ name: 'data', target: '', persistentVolumeClaimInfo: info('64Mi') }]

const sizeWith = (status: Parameters<typeof withStatus>[0]): bigint | undefined =>
  diskImages(vmi(withPersistentVolumeClaim('data', 'a'), withStatus(status)), {})[0]?.size.size

test('an image fills its claim', () => {
  expect(sizeWith({ volumeStatus })).toBe(63n * mebibyte)
})

test('one whose content comes from another claim is as large as it was there', () => {
  const migratedVolumes = [{ volumeName: 'data', sourcePVCInfo: info('32Mi'), destinationPVCInfo: info('64Mi') }]
  expect(sizeWith({ volumeStatus, migratedVolumes })).toBe(31n * mebibyte)
})
