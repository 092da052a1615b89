import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('networks of claims', () => {
  const given = {
    networks: [{ name: 'n', resourceClaim: { claimName: 'c' } }],
  }
  const devices = { interfaces: [{ name: 'n', bridge: {} }] }
  expect(causesOf(given, { devices })).toEqual(['FieldValueInvalid spec.networks'])
  expect(causesOf(given, { devices }, ['NetworkDevicesWithDRA'])).toEqual([
    'FieldValueRequired spec.networks[0].resourceClaim.requestName',
    'FieldValueNotFound spec.networks[0].resourceClaim.claimName',
    'FieldValueInvalid spec.domain.devices.interfaces',
  ])
})
