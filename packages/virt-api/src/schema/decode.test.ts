import { expect, test } from '@jest/globals'
import { decode } from './decode.ts'

test.each([
  [
    'keys in another case, at every depth',
    { NAME: 'a', Disk: { Name: 'b', Disk: { BUS: 'scsi' } } },
    { name: 'a', disk: { name: 'b', disk: { bus: 'scsi' } } },
  ],
  ['an exact key wins over one in another case', { name: 'a', NAME: 'b' }, { name: 'a' }],
  [
    'unknown keys and nulls are passed over',
    JSON.parse('{"name":"a","colour":1,"disk":null,"__proto__":{"x":1}}'),
    { name: 'a' },
  ],
  ['elements of lists', { dryRun: ['All'] }, { dryRun: ['All'] }],
])('%s', (_, value, read) => {
  expect(decode('AddVolumeOptions', value)).toEqual(read)
})

test.each([
  [{ name: 3 }, /AddVolumeOptions.name in body must be of type string/],
  [{ dryRun: 'All' }, /AddVolumeOptions.dryRun in body must be of type array/],
  [{ disk: [] }, /AddVolumeOptions.disk in body must be of type object/],
])('%j is refused with its field', (value, message) => {
  expect(() => decode('AddVolumeOptions', value)).toThrow(message)
})

test('a number that 64 bits can not hold is refused by name', () => {
  expect(() => decode('StopOptions', { gracePeriod: 1e30 })).toThrow('StopOptions.gracePeriod')
  expect(decode('StopOptions', { gracePeriod: 2 ** 60 })).toEqual({ gracePeriod: 2 ** 60 })
})
