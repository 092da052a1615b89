import { describe, expect, test } from '@jest/globals'
import { answer, objects, sent, virtctl, vmis, vms } from './command-line.ts'

describe('migration', () => {
  test('migrate names the labels that the next node must have', async () => {
    answer(`PUT ${vms}/a/migrate`, undefined, 202)
    expect(await virtctl('migrate', 'a', '--addedNodeSelector', 'zone=b,disk=fast')).toMatchObject({
      code: 0,
      out: 'VM a was scheduled to migrate\n',
    })
    expect(sent().body).toEqual({ addedNodeSelector: { zone: 'b', disk: 'fast' } })
  })

  test('migrate-cancel deletes the migration that is not done', async () => {
    const migrations = `${objects}/virtualmachineinstancemigrations`
    const items = [
      { metadata: { name: 'old' }, status: { phase: 'Failed' } },
      { metadata: { name: 'new' }, status: { phase: 'Running' } },
    ]
    answer(`GET ${migrations}?labelSelector=kubevirt.io%2Fvmi-name%3Da`, { items })
    answer(`DELETE ${migrations}/new`, {})
    expect(await virtctl('migrate-cancel', 'a')).toMatchObject({ code: 0 })
    answer(`GET ${migrations}?labelSelector=kubevirt.io%2Fvmi-name%3Da`, { items: items.slice(0, 1) })
    expect(await virtctl('migrate-cancel', 'a')).toMatchObject({ code: 1, err: 'Found no migration to cancel for a\n' })
  })

  test('evacuate-cancel names the node that the guest is on', async () => {
    answer(`GET ${objects}/virtualmachineinstances/a`, { metadata: { name: 'a' }, status: { nodeName: 'node-1' } })
    answer(`PUT ${vms}/a/evacuate/cancel`)
    expect(await virtctl('evacuate-cancel', 'vm', 'a')).toMatchObject({ code: 0 })
    expect(sent().body).toEqual({ evacuationNodeName: 'node-1' })
  })
})

describe('volumes', () => {
  const claim = '/api/v1/namespaces/n/persistentvolumeclaims/data'

  test('addvolume plugs a claim into the VM', async () => {
    answer(`GET ${claim}`, {})
    answer(`PUT ${vms}/a/addvolume`, undefined, 202)
    expect(await virtctl('addvolume', 'a', '--volume-name=data')).toMatchObject({ code: 0 })
    expect(sent().body).toEqual({
      name: 'data',
      disk: { name: 'data', disk: { bus: 'scsi' }, serial: 'data' },
      volumeSource: { persistentVolumeClaim: { claimName: 'data', hotpluggable: true } },
    })
  })

  test('removevolume asks an instance that has no VM itself', async () => {
    answer(`PUT ${vmis}/a/removevolume`, undefined, 202)
    expect(await virtctl('removevolume', 'a', '--volume-name', 'data')).toMatchObject({ code: 0 })
    expect(sent()).toMatchObject({ path: `${vmis}/a/removevolume`, body: { name: 'data' } })
  })

  test.each([
    [['addvolume', 'a'], /required flag\(s\) "volume-name" not set/],
    [['addvolume', 'a', '--volume-name=data'], /neither a DataVolume nor a PersistentVolumeClaim/],
    [['addvolume', 'a', '--volume-name=data', '--disk-type=lun', '--bus=virtio'], /invalid bus virtio for a lun/],
  ])('%j is refused', async (argv, message) => {
    if (argv.length > 3) answer(`GET ${claim}`, {})
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  })
})
