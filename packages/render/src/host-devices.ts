import type { KubeVirtConfiguration, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { ConverterContext } from '@kubevirt-ts/virt-launcher/render'

type Addresses = ConverterContext['hostDevices']

const firstBus = 0x81

/**
 * Addresses as device plugins would hand them out. Each PCI resource has a bus of its own from 0x81 on, with slots from
 * 1: first one per SR-IOV interface, then the permitted resources in the order of their use. Mediated devices are
 * counted from 1, USB devices sit on bus 1 from device 2 on. What is not permitted has no address.
 */
export function hostDevicesFor(
  vmi: VirtualMachineInstance,
  { permittedHostDevices = {} }: KubeVirtConfiguration,
): Addresses {
  const { interfaces = [], hostDevices = [], gpus = [] } = vmi.spec.domain.devices
  const functions = interfaces.filter(({ sriov }) => sriov)
  const uses = [...hostDevices, ...gpus].flatMap(({ deviceName }) => deviceName ?? [])
  const usesOf = (permitted: readonly { readonly resourceName: string }[] = []) => {
    const names = new Set(permitted.map(({ resourceName }) => resourceName))
    return uses.filter((resource) => names.has(resource))
  }
  return {
    sriov: Object.fromEntries(functions.map(({ name }, index) => [name, pciAddress(firstBus + index, 1)])),
    pci: pciAddresses(usesOf(permittedHostDevices.pciHostDevices), firstBus + functions.length),
    mdev: numbered(usesOf(permittedHostDevices.mediatedDevices), mediatedDevice),
    usb: numbered(usesOf(permittedHostDevices.usb), (index) => `1:${index + 2}`),
  }
}

function pciAddresses(uses: readonly string[], bus: number): Record<string, string[]> {
  const resources = [...new Set(uses)]
  const slots = (resource: string) => uses.filter((each) => each === resource).keys()
  return Object.fromEntries(
    resources.map((resource, index) => [
      resource,
      [...slots(resource)].map((slot) => pciAddress(bus + index, slot + 1)),
    ]),
  )
}

/** An address for each use, by resource; `address` gets the index of the use among all. */
function numbered(uses: readonly string[], address: (index: number) => string): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [index, resource] of uses.entries()) (found[resource] ??= []).push(address(index))
  return found
}

const pciAddress = (bus: number, slot: number): string =>
  `0000:${bus.toString(16)}:${slot.toString(16).padStart(2, '0')}.0`

const mediatedDevice = (index: number): string => `00000000-0000-4000-9000-${String(index + 1).padStart(12, '0')}`
