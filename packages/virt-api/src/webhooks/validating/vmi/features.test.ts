import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('a feature of Hyper-V whose base is off is told under the doubled path that clients match on', () => {
  const features = { hyperv: { synic: { enabled: true }, vpindex: { enabled: false } } }
  expect(causesOf({}, { features })).toEqual([
    'FieldValueInvalid spec.domain.features.hyperv.domain.features.hyperv.synic',
  ])
})
