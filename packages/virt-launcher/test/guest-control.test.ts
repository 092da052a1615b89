import { expect, test } from '@jest/globals'
import { client, launcher, libvirt, ok, reported, request } from './launcher-under-test.ts'

test('a sync resumes a guest that something else paused, but not one that the user paused', async () => {
  await client.syncVirtualMachine(request)
  libvirt.setState('ns_vm', 'paused', 'migration')
  await client.syncVirtualMachine(request)
  expect(await reported()).toMatchObject({ status: { status: 'Running' } })

  expect(await client.pauseVirtualMachine(request)).toEqual(ok)
  await client.syncVirtualMachine(request)
  expect(await reported()).toMatchObject({ status: { status: 'Paused', reason: 'User' } })

  expect(await client.unpauseVirtualMachine(request)).toEqual(ok)
  expect(await reported()).toMatchObject({ status: { status: 'Running' } })
})

test('pausing a paused guest changes nothing', async () => {
  await client.syncVirtualMachine(request)
  await client.pauseVirtualMachine(request)
  const before = libvirt.calls.length

  expect(await client.pauseVirtualMachine(request)).toEqual(ok)

  expect(libvirt.calls.length).toBe(before)
})

test.each(['pauseVirtualMachine', 'unpauseVirtualMachine', 'resetVirtualMachine', 'softRebootVirtualMachine'] as const)(
  '%s without a domain says so',
  async (rpc) => {
    expect(await client[rpc](request)).toEqual({ success: false, message: 'DomainNotFound: Domain not found.' })
  },
)

test('a soft reboot goes through the agent where there is one, else by ACPI', async () => {
  await client.syncVirtualMachine(request)

  await client.softRebootVirtualMachine(request)
  launcher.state.facts = { agentConnected: true }
  await client.softRebootVirtualMachine(request)

  expect(libvirt.calls.slice(-2)).toEqual(['reboot(acpi) ns_vm', 'reboot(agent) ns_vm'])
})
