import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseDomain } from '@kubevirt-ts/domain'
import { copiedDisks } from './copied-disks.ts'

const disk = (name: string, target: string, more = ''): string =>
  `<disk type='file' device='disk'><source file='/d/${name}'/><target dev='${target}' bus='virtio'/>${more}<alias name='ua-${name}'/></disk>`

const copiedOf = (disks: string, volumes: VirtualMachineInstance['spec']['volumes']): string[] => {
  const { devices } = parseDomain(`<domain type='qemu'><devices>${disks}</devices></domain>`)
  const spec = { domain: { devices: {} }, volumes: volumes ?? [] }
  return copiedDisks({ metadata: { name: 'vm' }, spec }, devices.disk ?? []).map(({ target }) => target.$dev)
}

test('disks of the node are copied; those on claims, plugged in or not, are where they are', () => {
  const disks =
    disk('root', 'vda') +
    disk('claimed', 'vdb') +
    disk('imported', 'vdc') +
    disk('hosted', 'vdd') +
    disk('plugged', 'sda')
  const copied = copiedOf(disks, [
    { name: 'root', containerDisk: { image: 'i' } },
    { name: 'claimed', persistentVolumeClaim: { claimName: 'c' } },
    { name: 'imported', dataVolume: { name: 'd' } },
    { name: 'hosted', hostDisk: { path: '/h', type: 'Disk', shared: true } },
    { name: 'plugged', persistentVolumeClaim: { claimName: 'p', hotpluggable: true } },
  ])
  expect(copied).toEqual(['vda'])
})

test('what the guest wrote over a claim that it may not change is copied', () => {
  expect(
    copiedOf(disk('scratch', 'vda'), [{ name: 'scratch', ephemeral: { persistentVolumeClaim: { claimName: 'c' } } }]),
  ).toEqual(['vda'])
})

test('a volume that goes to another claim is copied, be it a file or a device', () => {
  const block = `<disk type='block' device='disk'><source dev='/dev/b'/><target dev='vdb' bus='virtio'/><alias name='ua-b'/></disk>`
  const { devices } = parseDomain(`<domain type='qemu'><devices>${disk('a', 'vda')}${block}</devices></domain>`)
  const volumes = ['a', 'b'].map((name) => ({ name, persistentVolumeClaim: { claimName: `new-${name}` } }))
  const copied = (...names: string[]): string[] => {
    const migratedVolumes = names.map((volumeName) => ({ volumeName }))
    const vmi = { metadata: { name: 'vm' }, spec: { domain: { devices: {} }, volumes }, status: { migratedVolumes } }
    return copiedDisks(vmi, devices.disk ?? []).map(({ target }) => target.$dev)
  }
  expect(copied()).toEqual([])
  expect(copied('a')).toEqual(['vda'])
  expect(copied('a', 'b')).toEqual(['vda', 'vdb'])
})

test('what cannot be changed, or lies in no file, is not copied', () => {
  const empty = `<disk type='file' device='cdrom'><target dev='sdb' bus='sata'/><readonly/><alias name='ua-tray'/></disk>`
  const block = `<disk type='block' device='disk'><source dev='/dev/b'/><target dev='vdb' bus='virtio'/><alias name='ua-b'/></disk>`
  expect(copiedOf(disk('seed', 'vda', '<readonly/>') + empty + block, [])).toEqual([])
})
