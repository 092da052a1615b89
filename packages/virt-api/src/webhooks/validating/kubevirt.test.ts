import { expect, test } from '@jest/globals'
import { admission, fields } from '../../../test/admission.ts'

test.each([
  [
    'a KubeVirt with ciphers for TLS 1.3',
    '/kubevirt-validate-update',
    { spec: { configuration: { tlsConfiguration: { ciphers: ['x'] } } } },
    ['spec.configuration.tlsConfiguration.ciphers'],
  ],
  [
    'a KubeVirt with an unknown update method',
    '/kubevirt-validate-create',
    { spec: { workloadUpdateStrategy: { workloadUpdateMethods: ['Hope'] } } },
    ['spec.workloadUpdateStrategy.workloadUpdateMethods[0]'],
  ],
])('%s is answered with its fields', async (_, path, object, expected) => {
  expect(await fields(path, object)).toEqual(expected)
})

test('there is one KubeVirt, and one that protects its guests stays', async () => {
  const kubevirt = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'k', namespace: 'kubevirt' },
    spec: {},
  }
  expect((await admission('/kubevirt-validate-create', { spec: {} }, { objects: [kubevirt] })).denied?.code).toBe(400)
  expect((await admission('/kubevirt-validate-create', { spec: {} })).denied).toBeUndefined()
  const oldObject = { ...kubevirt, spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } }
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  const remove = (objects: object[]) =>
    admission('/kubevirt-validate-delete', {}, { more: { oldObject, operation: 'DELETE' }, objects })
  expect((await remove([guest])).denied?.message).toMatch(/^Rejecting the uninstall request/)
  expect((await remove([])).denied).toBeUndefined()
})
