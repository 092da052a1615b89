import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('memory that is reserved beside the guest’s needs its gate', () => {
  const memory = { guest: '128Mi', reservedOverhead: { memLock: 'Required' } }
  expect(causesOf({}, { memory })).toEqual(['FieldValueInvalid spec.domain.memory.reservedOverhead'])
  expect(causesOf({}, { memory }, ['ReservedOverheadMemlock'])).toEqual([])
})
