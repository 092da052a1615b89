import { expect, test } from '@jest/globals'
import { vm, vmi, withName } from '@kubevirt-ts/libvmi'
import { generationToNote } from './generation.ts'
import type { Seen } from './seen.ts'

const template = vmi(withName('web'))

/** A VM of generation 2 whose guest was started from generation 1, with the same template. */
function seenWith(metadata: { readonly deletionTimestamp?: string }): Seen {
  const object = vm(template)
  const guest = { ...template, metadata: { ...template.metadata, annotations: { 'kubevirt.io/vm-generation': '1' } } }
  return {
    vm: { ...object, metadata: { ...object.metadata, generation: 2, ...metadata } },
    vmi: guest,
    startedSpec: object.spec,
  } as unknown as Seen
}

test('a change outside of the template is noted on the guest, a deletion is not', () => {
  expect(generationToNote(seenWith({}))).toBe(2)
  expect(generationToNote(seenWith({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBeUndefined()
})
