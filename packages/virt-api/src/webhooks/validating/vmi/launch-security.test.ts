import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

const gates = ['WorkloadEncryptionSEV', 'WorkloadEncryptionTDX']
const firmware = { bootloader: { efi: { secureBoot: false } } }

test('one technique is chosen', () => {
  expect(causesOf({}, { firmware, launchSecurity: { sev: {}, tdx: {} } }, gates)).toEqual([
    'FieldValueForbidden spec.launchSecurity',
  ])
  expect(causesOf({}, { firmware, launchSecurity: {} }, gates)).toEqual(['FieldValueForbidden spec.launchSecurity'])
})

test('TDX has no SMM', () => {
  const features = { smm: { enabled: true } }
  expect(causesOf({}, { firmware, features, launchSecurity: { tdx: {} } }, gates)).toEqual([
    'FieldValueInvalid spec.launchSecurity',
  ])
})
