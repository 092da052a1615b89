import { expect, test } from '@jest/globals'
import { type Versions, withVersions } from './versions.ts'

const here: Versions = { qemu: '10.0.2', libvirt: '11.3.0' }
const error = new Error('unsupported machine type')
const told = (there: Partial<Versions>): string => (withVersions(error, here, { ...here, ...there }) as Error).message

test('a move that failed between equals says what it said', () => {
  expect(withVersions(error, here, { ...here })).toBe(error)
})

test('between unequals both are named', () => {
  expect(told({ qemu: '10.1.0' })).toBe(
    'unsupported machine type (the versions differ: QEMU 10.0.2 and libvirt 11.3.0 at the source, QEMU 10.1.0 and libvirt 11.3.0 at the target)',
  )
})

test.each([{ qemu: '9.2.4' }, { qemu: '10.0.1' }, { libvirt: '11.2.9' }])(
  'a target that is older (%j) is called so',
  (there) => expect(told(there)).toContain('need not fit an older one'),
)

test.each([{ qemu: '10.0.10' }, { libvirt: '12.0.0' }])('a target that is newer (%j) is not', (there) =>
  expect(told(there)).not.toContain('older'),
)
