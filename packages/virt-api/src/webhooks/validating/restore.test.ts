import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' }

test.each([
  [
    'a restore beyond the spec',
    { spec: { target: vm, virtualMachineSnapshotName: 's', patches: ['{"op":"add","path":"/metadata/x"}', 'x'] } },
    ['spec.patches[0]', 'spec.patches[1]'],
  ],
  [
    'a restore with an empty override',
    { spec: { target: vm, virtualMachineSnapshotName: 's', volumeRestoreOverrides: [{}] } },
    ['spec.volumeRestoreOverrides[0].volumeName', 'spec.volumeRestoreOverrides[0]'],
  ],
])('%s is answered with its fields', async (_, object, expected) => {
  expect(await fields('/virtualmachinerestores-validate', object)).toEqual(expected)
})

test('a VM is restored by one restore at a time', async () => {
  const spec = { target: vm, virtualMachineSnapshotName: 's' }
  const other = {
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineRestore',
    metadata: { name: 'r', namespace: 'n' },
    spec,
  }
  expect(await fields('/virtualmachinerestores-validate', { spec }, { objects: [other] })).toEqual(['spec.target'])
  const done = { ...other, status: { complete: true } }
  expect(await fields('/virtualmachinerestores-validate', { spec }, { objects: [done] })).toEqual([])
})
