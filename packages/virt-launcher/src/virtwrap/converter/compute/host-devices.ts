import type { GPU } from '@kubevirt-ts/api'
import type { HostDevice as DomainHostDevice } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service/error'
import type { Configurator, Guest } from '../configurator.ts'
import { pciAddress } from '../pci-address.ts'

/** Devices of the host that the guest drives itself: GPUs, other PCI and USB devices, virtual functions of NICs. */
export const hostDevices: Configurator = (domain, guest) => {
  const { gpus = [], hostDevices: others = [] } = guest.vmi.spec.domain.devices
  const take = addressesInOrder(guest)
  const devices = [
    ...virtualFunctions(guest),
    ...others.flatMap(({ name, deviceName }) => (deviceName ? [take(deviceName, name, 'hostdevice')] : [])),
    ...gpus.flatMap((gpu) => (gpu.deviceName ? [withDisplay(take(gpu.deviceName, gpu.name, 'gpu'), gpu)] : [])),
  ]
  if (devices.length > 0) domain.devices.hostdev = devices
}

/** The display of a GPU that is a part of one is shown, also before its driver runs, unless the guest says otherwise. */
function withDisplay(device: DomainHostDevice, { virtualGPUOptions }: GPU): DomainHostDevice {
  if (device.$type !== 'mdev') return device
  const display = virtualGPUOptions ? virtualGPUOptions.display : {}
  if (display === undefined || display.enabled === false) return device
  return { ...device, $display: 'on', $ramfb: display.ramFB?.enabled === false ? undefined : 'on' }
}

function virtualFunctions({ vmi, context }: Guest): DomainHostDevice[] {
  const wanted = (vmi.spec.domain.devices.interfaces ?? []).filter(({ sriov, state }) => sriov && state !== 'absent')
  return wanted.flatMap(({ name, bootOrder, pciAddress: place }) => {
    const address = context.hostDevices.sriov[name]
    if (address === undefined) return []
    return [
      {
        $type: 'pci',
        $managed: 'no',
        source: { address: pciAddress(address) },
        alias: { $name: `ua-sriov-${name}` },
        boot: bootOrder === undefined ? undefined : { $order: String(bootOrder) },
        address: place ? pciAddress(place) : undefined,
      },
    ]
  })
}

function addressesInOrder({ vmi, context }: Guest) {
  const used = new Map<string, number>()
  return (resource: string, name: string, kind: string): DomainHostDevice => {
    const { pci, mdev, usb } = context.hostDevices
    const index = used.get(resource) ?? 0
    used.set(resource, index + 1)
    const found = (pci[resource] ?? mdev[resource] ?? usb[resource])?.[index]
    if (found === undefined)
      throw new VirtError('HostDeviceMissing', `${vmi.metadata.name}: the node handed out no ${resource} for ${name}`)
    if (usb[resource]) return usbDevice(found, name)
    const alias = { $name: `ua-${kind}-${name}` }
    if (pci[resource]) return { $type: 'pci', $managed: 'no', source: { address: pciAddress(found) }, alias }
    return { $type: 'mdev', $mode: 'subsystem', $model: 'vfio-pci', source: { address: { $uuid: found } }, alias }
  }
}

/** An address of a USB device is `bus:device`. */
function usbDevice(address: string, name: string): DomainHostDevice {
  const [bus, device] = address.split(':')
  return {
    $type: 'usb',
    $mode: 'subsystem',
    source: { address: { $bus: bus!, $device: device! } },
    alias: { $name: `ua-usb-host-${name}` },
  }
}
