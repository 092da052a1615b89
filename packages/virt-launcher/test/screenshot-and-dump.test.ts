import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { client, launcher, libvirt, ok, request } from './launcher-under-test.ts'

test('a screenshot is a PNG', async () => {
  await client.syncVirtualMachine(request)

  const { mime, data } = await client.getScreenshot(request)

  expect({ mime, data: data.toString() }).toEqual({ mime: 'image/png', data: 'picture' })
})

test('a memory dump goes below the hotplugged volumes and nowhere else', async () => {
  await client.syncVirtualMachine(request)
  const dumpPath = join(launcher.places.guest.hotplugDisks, 'dump/vm-dump.memory.dump')

  expect(await client.virtualMachineMemoryDump({ ...request, dumpPath: '/etc/passwd' })).toMatchObject({
    success: false,
    message: expect.stringContaining('/etc/passwd'),
  })
  expect(await client.virtualMachineMemoryDump({ ...request, dumpPath })).toEqual(ok)

  expect(libvirt.calls.at(-1)).toBe(`coreDump(${dumpPath}) ns_vm`)
})
