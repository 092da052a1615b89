import { expect, test } from '@jest/globals'
import type { Devices, DomainSpec } from '@kubevirt-ts/domain'
import { vmi } from '@kubevirt-ts/libvmi'
import { withHotplugPorts } from './hotplug-ports.ts'

const mebibyte = 1024 ** 2
const card = { $type: 'ethernet', source: {}, model: { $type: 'virtio' } }

const portsOf = (devices: Devices, { mebibytes = 64, machine = 'q35', guest = vmi() } = {}): number => {
  const os = { type: { $machine: machine, _: 'hvm' } }
  const domain: DomainSpec = {
    $type: 'kvm',
    name: 'vm',
    memory: { $unit: 'b', _: String(mebibytes * mebibyte) },
    os,
    devices,
  }
  const { controller = [] } = withHotplugPorts(domain, guest).devices
  const ports = controller.filter(({ $model }) => $model === 'pcie-root-port')
  // Index 0 is the root's, which libvirt refuses as a port.
  expect(ports.map(({ $index }) => Number($index))).toEqual(ports.map((_port, at) => at + 1))
  return ports.length
}

test.each([
  ['a small guest has eight', {}, 2048, 8],
  ['a larger one sixteen', {}, 2049, 16],
  ['three stay free however many devices there are', { interface: Array.from({ length: 9 }, () => card) }, 64, 12],
  ['in a larger one six', { interface: Array.from({ length: 12 }, () => card) }, 4096, 18],
  ['there are no more buses than 31', { interface: Array.from({ length: 40 }, () => card) }, 64, 31],
])('ports for devices: %s', (_, devices, mebibytes, expected) => {
  expect(portsOf(devices, { mebibytes })).toBe(expected)
})

test('devices on the root complex, and those that are on no PCI bus, take none', () => {
  const address = { $type: 'pci', $domain: '0x0000', $bus: '0x00', $slot: '0x03', $function: '0x0' }
  const interfaces = Array.from({ length: 9 }, () => ({ ...card, address }))
  const controller = [{ $type: 'usb', $index: '0', $model: 'none' }]
  expect(portsOf({ interface: interfaces, controller })).toBe(8)
})

test('machines without ports get none, nor guests whose devices are to be on the root complex', () => {
  const guest = vmi()
  guest.metadata.annotations = { 'kubevirt.io/placePCIDevicesOnRootComplex': 'true' }
  expect(portsOf({}, { guest })).toBe(0)
  expect(portsOf({}, { machine: 's390-ccw-virtio' })).toBe(0)
})
