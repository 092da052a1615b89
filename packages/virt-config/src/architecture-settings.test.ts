import { expect, test } from '@jest/globals'
import { architectureSettings } from './architecture-settings.ts'
import { mergeConfiguration } from './merge-configuration.ts'

test('each architecture has its own settings, an unknown one those of amd64', () => {
  const configuration = mergeConfiguration({})
  const types = ['amd64', 'arm64', 's390x', 'other', undefined].map(
    (architecture) => architectureSettings(configuration, architecture).machineType,
  )
  expect(types).toEqual(['q35', 'virt', 's390-ccw-virtio', 'q35', 'q35'])
})

test('fields of old releases win for all architectures, single ones leave the others', () => {
  const configuration = mergeConfiguration({ machineType: 'pc', ovmfPath: '/opt/ovmf' })
  expect(architectureSettings(configuration, 'amd64')).toEqual({
    machineType: 'pc',
    emulatedMachines: ['q35*', 'pc-q35*'],
    ovmfPath: '/opt/ovmf',
  })
  expect(architectureSettings(mergeConfiguration({ emulatedMachines: ['x*'] }), 'arm64').emulatedMachines).toEqual([
    'x*',
  ])
})
