import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' }

test.each([
  ['a clone', { spec: { source: vm, labelFilters: ['*', '!some/*'] } }, []],
  ['a clone onto itself', { spec: { source: vm, target: vm } }, ['spec.target.name']],
  [
    'a clone with odd filters, addresses and patches',
    { spec: { source: vm, labelFilters: ['a!', '*a'], newMacAddresses: { eth0: 'zz' }, patches: ['{}'] } },
    ['spec.labelFilters[0]', 'spec.labelFilters[1]', 'spec.newMacAddresses.eth0', 'spec.patches[0]'],
  ],
])('%s is answered with its fields', async (_, object, expected) => {
  expect(await fields('/vm-clone-validate-create', object)).toEqual(expected)
})
