import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Address, Controller, DomainSpec } from '@kubevirt-ts/domain'

// KubeVirt's numbers. A port takes some of the guest's memory, so that small guests have fewer.
const few = { total: 8, free: 3 }
const many = { total: 16, free: 6 }
const smallGuestBytes = 2n * 1024n ** 3n
/** Buses beyond are no guest's. */
const mostPorts = 31

/**
 * The domain with ports that its devices leave free. A device that is plugged into a running guest needs one, and no port
 * can be plugged in; libvirt by itself leaves one.
 */
export function withHotplugPorts(domain: DomainSpec, vmi: VirtualMachineInstance): DomainSpec {
  if (!hasPorts(domain) || vmi.metadata.annotations?.['kubevirt.io/placePCIDevicesOnRootComplex'] === 'true')
    return domain
  const { total, free } = BigInt(domain.memory._) > smallGuestBytes ? many : few
  const length = Math.min(mostPorts, Math.max(total, onPorts(domain) + free))
  // Index 0 is the root itself, which libvirt adds.
  const ports = Array.from({ length }, (_, at): Controller => {
    return { $type: 'pci', $index: String(at + 1), $model: 'pcie-root-port' }
  })
  return { ...domain, devices: { ...domain.devices, controller: [...(domain.devices.controller ?? []), ...ports] } }
}

/** Machines whose PCI devices hang on ports. */
const hasPorts = ({ os }: DomainSpec): boolean => /q35|^virt/.test(os.type.$machine ?? '')

/** How many devices take a port, or may. */
function onPorts({ devices }: DomainSpec): number {
  const {
    interface: cards = [],
    controller = [],
    disk = [],
    input = [],
    watchdog = [],
    hostdev = [],
    filesystem = [],
    rng = [],
    memballoon,
    vsock,
  } = devices
  const all: { address?: Address }[] = [
    ...cards,
    ...hostdev.filter(({ $type }) => $type === 'pci' || $type === 'mdev'),
    ...controller.filter(({ $type, $model }) => $type !== 'pci' && $model !== 'none'),
    ...disk.filter(({ target }) => target.$bus === 'virtio'),
    ...input.filter(({ $bus }) => $bus === 'virtio'),
    ...watchdog,
    ...filesystem,
    ...rng,
    ...(memballoon && memballoon.$model !== 'none' ? [memballoon] : []),
    ...(vsock ? [vsock] : []),
  ]
  return all.filter(({ address }) => address?.$type !== 'pci' || Number(address.$bus) !== 0).length
}
