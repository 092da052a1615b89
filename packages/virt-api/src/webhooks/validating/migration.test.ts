import { describe, expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

describe('migrations', () => {
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  const create = '/migration-validate-create'

  test('only virt-controller says which goes first', async () => {
    const object = { spec: { vmiName: 'a', priority: 'system-critical' } }
    const by = (username: string) => fields(create, object, { more: { userInfo: { username } }, objects: [guest] })
    expect(await by('alice')).toEqual(['spec.migrationPriority'])
    expect(await by('system:serviceaccount:kubevirt:kubevirt-controller')).toEqual([])
  })

  test('both ends of one between clusters have the same name for it', async () => {
    const spec = { vmiName: 'a', sendTo: { migrationID: 'x', connectURL: 'u' }, receive: { migrationID: 'y' } }
    expect(await fields(create, { spec }, { objects: [guest] })).toEqual(['spec.sendTo.migrationID'])
  })

  test('one on its way keeps the label that it is found by', async () => {
    const labels = { 'kubevirt.io/vmi-name': 'a' }
    const oldObject = { metadata: { name: 'x', labels }, spec: { vmiName: 'a' }, status: { phase: 'Running' } }
    const update = (old: object) =>
      fields(
        '/migration-validate-update',
        { spec: { vmiName: 'a' } },
        { more: { oldObject: old, operation: 'UPDATE' } },
      )
    expect(await update(oldObject)).toEqual(['metadata.labels'])
    expect(await update({ ...oldObject, status: { phase: 'Failed' } })).toEqual([])
  })
})
