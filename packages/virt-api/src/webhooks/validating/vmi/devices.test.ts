import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('one display of the firmware', () => {
  const gpu = (name: string, ramFB?: object) => ({
    name,
    deviceName: 'vendor.com/gpu',
    virtualGPUOptions: { display: { ...(ramFB && { ramFB }) } },
  })
  expect(causesOf({}, { devices: { gpus: [gpu('a'), gpu('b')] } })).toEqual(['FieldValueInvalid spec.GPUs'])
  expect(causesOf({}, { devices: { gpus: [gpu('a'), gpu('b', { enabled: false })] } })).toEqual([])
})
