import { expect, test } from '@jest/globals'
import { admission, fields } from '../../../test/admission.ts'

const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' }

test.each([
  ['a snapshot', '/virtualmachinesnapshots-validate', { spec: { source: vm } }, []],
  [
    'a snapshot of a pod',
    '/virtualmachinesnapshots-validate',
    { spec: { source: { ...vm, kind: 'Pod' } } },
    ['spec.source.kind'],
  ],
  [
    'a snapshot without group',
    '/virtualmachinesnapshots-validate',
    { spec: { source: { kind: vm.kind, name: 'a' } } },
    ['spec.source.apiGroup'],
  ],
  [
    'an export of a claim',
    '/virtualmachineexports-validate',
    { spec: { source: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'c' } } },
    [],
  ],
  [
    'an export of a backup',
    '/virtualmachineexports-validate',
    { spec: { source: { apiGroup: 'backup.kubevirt.io', kind: 'VirtualMachineBackup', name: 'b' } } },
    [],
  ],
])('%s is answered with its fields', async (_, path, object, expected) => {
  expect(await fields(path, object)).toEqual(expected)
})

test('specs of requests are fixed; what is being deleted may change', async () => {
  const old = { oldObject: { metadata: {}, spec: { source: { ...vm, name: 'b' } } }, operation: 'UPDATE' }
  expect(await fields('/virtualmachinesnapshots-validate', { spec: { source: vm } }, { more: old })).toEqual(['spec'])
  const leaving = { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { source: vm } }
  expect(await fields('/virtualmachinesnapshots-validate', leaving, { more: old })).toEqual([])
})

test('a kind that is switched off is refused in the words that clients know', async () => {
  const object = { spec: { source: vm, pvcName: 'c' } }
  expect((await admission('/virtualmachinebackups-validate', object)).denied).toMatchObject({ code: 400 })
  expect(
    (await admission('/virtualmachinebackups-validate', object, { gates: ['IncrementalBackup'] })).denied,
  ).toBeUndefined()
})
