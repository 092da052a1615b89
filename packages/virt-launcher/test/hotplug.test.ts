import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import type { FakeLibvirt } from '@kubevirt-ts/libvirt/testing'
import type { LibvirtAccess } from '../src/daemons/libvirt-access.ts'
import { client, guest, launcher, libvirt, ok, reported, request } from './launcher-under-test.ts'

/** How many changes of the domain have been under way at the same time at most. */
function overlaps(connection: FakeLibvirt): () => number {
  let now = 0
  let most = 0
  const before = { ...launcher.libvirt }
  Object.assign(launcher.libvirt, {
    change: async (use: Parameters<LibvirtAccess['change']>[0]) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      try {
        return await before.change(use)
      } finally {
        now -= 1
      }
    },
  })
  return () => (connection.calls.length > 0 ? most : 0)
}

test('two syncs, a hotplug and a shutdown at once happen one after the other', async () => {
  await client.syncVirtualMachine(request)
  libvirt.calls.length = 0
  const folder = launcher.places.guest.hotplugDisks
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plug.img'), Buffer.alloc(1024 * 1024))
  const plugged = structuredClone(guest)
  plugged.spec.volumes = [{ name: 'plug', persistentVolumeClaim: { claimName: 'claim', hotpluggable: true } }]
  plugged.spec.domain.devices.disks = [{ name: 'plug', disk: { bus: 'scsi' } }]
  plugged.status = { phase: 'Running' }
  const depth = overlaps(libvirt)

  const answers = await Promise.all([
    client.syncVirtualMachine(request),
    client.syncVirtualMachine({ vmi: encodeVmi(plugged) }),
    client.shutdownVirtualMachine(request),
    client.syncVirtualMachine({ vmi: encodeVmi(plugged) }),
  ])

  expect(answers).toEqual([ok, ok, ok, ok])
  expect(libvirt.calls.filter((call) => /Device|shutdown/.test(call))).toEqual([
    'attachDevice(ua-plug) ns_vm',
    'shutdown ns_vm',
  ])
  expect(depth()).toBe(1)
})

test('a volume that left the VMI is unplugged, and not before', async () => {
  const folder = launcher.places.guest.hotplugDisks
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plug.img'), Buffer.alloc(1024 * 1024))
  await client.syncVirtualMachine(request)
  const plugged = structuredClone(guest)
  plugged.spec.volumes = [{ name: 'plug', dataVolume: { name: 'dv', hotpluggable: true } }]
  plugged.spec.domain.devices.disks = [{ name: 'plug', disk: { bus: 'virtio' }, serial: 'S' }]

  await client.syncVirtualMachine({ vmi: encodeVmi(plugged) })
  expect((await reported())?.spec.devices.disk).toMatchObject([
    { alias: { $name: 'ua-plug' }, serial: 'S', source: { $file: `${folder}/plug.img` }, driver: { $type: 'raw' } },
  ])
  await client.syncVirtualMachine({ vmi: encodeVmi(plugged) })
  await client.syncVirtualMachine(request)

  expect(libvirt.calls.filter((call) => call.includes('Device'))).toEqual([
    'attachDevice(ua-plug) ns_vm',
    'detachDevice(ua-plug) ns_vm',
  ])
  expect((await reported())?.spec.devices.disk).toBeUndefined()
})

test('virtual CPUs and memory are plugged in by calls of their own', async () => {
  const growing = structuredClone(guest)
  growing.spec.domain.cpu = { sockets: 1, maxSockets: 4 }
  growing.spec.domain.memory = { guest: '64Mi', maxGuest: '256Mi' }
  growing.status = { memory: { guestAtBoot: '64Mi' } }
  await client.syncVirtualMachine({ vmi: encodeVmi(growing) })
  growing.spec.domain.cpu.sockets = 3
  growing.spec.domain.memory.guest = '128Mi'

  expect(await client.syncVirtualMachineCpUs({ vmi: encodeVmi(growing) })).toEqual(ok)
  expect(await client.syncVirtualMachineMemory({ vmi: encodeVmi(growing) })).toEqual(ok)

  expect(libvirt.calls.slice(-2)).toEqual(['setVcpus(3) ns_vm', 'attachDevice() ns_vm'])
})
