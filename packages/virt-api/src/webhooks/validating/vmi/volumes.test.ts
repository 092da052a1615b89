import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('a service account has a name that one can have', () => {
  expect(causesOf({ serviceAccountName: 'me!' })).toEqual(['FieldValueInvalid spec.serviceAccountName'])
  expect(causesOf({ serviceAccountName: 'me' })).toEqual([])
})
