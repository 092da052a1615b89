import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('a serial number is plain', () => {
  expect(causesOf({}, { firmware: { serial: 'a b' } })).toEqual(['FieldValueInvalid spec.domain.firmware.serial'])
})

test('arguments need a kernel', () => {
  expect(causesOf({}, { firmware: { kernelBoot: { kernelArgs: 'quiet' } } })).toEqual([
    'FieldValueInvalid spec.domain.firmware.kernelBoot.kernelArgs',
  ])
})
