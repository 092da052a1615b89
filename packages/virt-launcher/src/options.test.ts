import { readdirSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parseOptions } from '@kubevirt-ts/service'
import { launcherOptions } from './options.ts'
import { placesOf } from './places.ts'

// The arguments of a pod's compute container, as virt-controller writes them.
const podArguments =
  '--qemu-timeout 240s --name vm --uid u --namespace ns --kubevirt-share-dir /var/run/kubevirt --ephemeral-disk-dir /var/run/kubevirt-ephemeral-disks --container-disk-dir /var/run/kubevirt/container-disks --grace-period-seconds 45 --hook-sidecars 0 --ovmf-path /usr/share/OVMF --disk-memory-limit 2097152000 --hypervisor kvm --run-as-nonroot --image-volume --upgrade-ordinal-ifaces --allow-emulation'

test("a pod's arguments are understood", () => {
  const options = parseOptions(launcherOptions, podArguments.split(' '), {})

  expect(options).toMatchObject({
    name: 'vm',
    uid: 'u',
    namespace: 'ns',
    qemuTimeout: 240_000,
    gracePeriodSeconds: 45,
    allowEmulation: true,
    keepAfterFailure: false,
  })
})

test('the places in a pod are those that virt-handler and libvirt expect', () => {
  const env = {
    XDG_RUNTIME_DIR: '/var/run',
    XDG_CONFIG_HOME: '/var/run/kubevirt-private',
    XDG_CACHE_HOME: '/var/run/kubevirt-private',
  }
  const places = placesOf(parseOptions(launcherOptions, podArguments.split(' '), {}), env)

  expect(places).toMatchObject({
    commandSocket: '/var/run/kubevirt/sockets/launcher-sock',
    notifySocket: '/var/run/kubevirt/domain-notify-pipe.sock',
    qemuPidFile: '/var/run/libvirt/qemu/run/ns_vm.pid',
    serialLog: '/var/run/kubevirt-private/u/virt-serial0-log',
    guest: {
      emptyDisks: '/var/run/libvirt/empty-disks',
      nvram: '/var/run/kubevirt-private/libvirt/qemu/nvram',
      cloudInit: '/var/run/kubevirt-ephemeral-disks/cloud-init-data/ns/vm',
    },
  })
})

test('every operation has a file of its own', () => {
  const files = readdirSync(new URL('virtwrap/operations', import.meta.url))

  expect(files).toEqual(expect.arrayContaining(['sync.ts', 'pause.ts', 'shutdown.ts', 'kill.ts', 'delete.ts']))
})
