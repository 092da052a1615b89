import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('options of DNS are named', () => {
  expect(causesOf({ dnsConfig: { options: [{ value: '1' }], searches: ['example.com.'] } })).toEqual([
    'FieldValueInvalid searchDomains',
    'FieldValueInvalid options',
  ])
})
