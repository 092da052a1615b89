import { expect, test } from '@jest/globals'
import { admission } from '../../../test/admission.ts'

const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' }

test('a clone gets a target that is named after its source', async () => {
  expect((await admission('/vm-clone-mutate-create', { spec: { source: vm } })).patch).toEqual([
    { op: 'add', path: '/spec/target', value: { ...vm, name: 'clone-a-abcde' } },
  ])
})
