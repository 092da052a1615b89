import { expect, test } from '@jest/globals'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { LibvirtError } from '@kubevirt-ts/libvirt'
import { client, libvirt, ok, reported, request } from './launcher-under-test.ts'

test('a guest is moved once, and its end here is told with the domain', async () => {
  await client.syncVirtualMachine(request)
  const moving = { metadata: { name: 'vm', namespace: 'ns', uid: 'u' }, spec: { domain: { devices: {} } } }
  const vmiOnItsWay = encodeVmi({ ...moving, status: { migrationState: { migrationUid: 'm1' } } })
  const order = { vmi: vmiOnItsWay, options: Buffer.from('{}') }

  expect(await client.migrateVirtualMachine(order)).toEqual(ok)
  expect(await client.migrateVirtualMachine(order)).toEqual(ok)

  let told = await reported()
  while (told?.spec.metadata?.kubevirt?.migration?.endTimestamp === undefined) told = await reported()
  expect(told.status).toMatchObject({ status: 'Shutoff', reason: 'Migrated' })
  expect(told.spec.metadata?.kubevirt?.migration).toMatchObject({ uid: 'm1', mode: 'PreCopy' })
  expect(libvirt.calls.filter((call) => call.startsWith('migrate'))).toEqual(['migrate ns_vm'])
})

test('a move that libvirt refuses is told with its reason, and the guest goes on', async () => {
  await client.syncVirtualMachine(request)
  libvirt.failNext('migrate', new LibvirtError('migrate', { code: 9, domain: 10, message: 'no way there' }))
  const vmiOnItsWay = { metadata: { name: 'vm' }, spec: { domain: { devices: {} } } }
  const state = { migrationState: { migrationUid: 'm2' } }
  await client.migrateVirtualMachine({ vmi: encodeVmi({ ...vmiOnItsWay, status: state }), options: Buffer.from('{}') })

  let told = await reported()
  while (told?.spec.metadata?.kubevirt?.migration?.endTimestamp === undefined) told = await reported()
  expect(told.status.status).toBe('Running')
  expect(told.spec.metadata?.kubevirt?.migration).toMatchObject({
    failed: 'true',
    failureReason: expect.stringContaining('no way there'),
  })
})
