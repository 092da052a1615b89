import type { Interface, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainInterface } from '@kubevirt-ts/domain'
import { presentInterfaces, vcpus } from '@kubevirt-ts/vmispec'
import { needsIommu } from '../compute/launch-security.ts'
import type { Configurator, Guest } from '../configurator.ts'
import { pciAddress } from '../pci-address.ts'

// The kernel's limit for queues of a tap device.
const mostQueues = 256

/** The guest's network cards, but for those that the guest drives itself. */
export const interfaces: Configurator = (domain, guest) => {
  const cards = presentInterfaces(guest.vmi.spec).filter(({ sriov }) => !sriov)
  const converted = cards.flatMap((card) => convert(card, guest) ?? [])
  if (converted.length > 0) domain.devices.interface = converted
}

function convert(card: Interface, guest: Guest): DomainInterface | undefined {
  if (card.passtBinding) return { ...common(card, guest), ...passt(card, guest) }
  const attachment = guest.context.interfaceAttachment[card.name] ?? (card.binding ? undefined : 'tap')
  // Whatever else a binding plugin does, its hook sidecar adds to the domain.
  if (attachment !== 'tap' && attachment !== 'managedTap') return undefined
  return { ...common(card, guest), $type: 'ethernet', driver: driver(card, guest) }
}

function common(card: Interface, { vmi, arch }: Guest): DomainInterface {
  const virtio = isVirtio(card)
  const model = virtio ? arch.virtioModel(Boolean(vmi.spec.domain.devices.useVirtioTransitional)) : card.model!
  return {
    $type: '',
    source: {},
    model: { $type: model },
    mac: card.macAddress ? { $address: card.macAddress } : undefined,
    alias: { $name: `ua-${card.name}` },
    boot: card.bootOrder === undefined ? undefined : { $order: String(card.bootOrder) },
    // The option ROM is for booting from the network and costs time on each boot.
    rom: arch.hasOptionRoms && card.bootOrder === undefined ? { $enabled: 'no' } : undefined,
    acpi: card.acpiIndex !== undefined && card.acpiIndex > 0 ? { $index: String(card.acpiIndex) } : undefined,
    link: card.state === 'down' ? { $state: 'down' } : undefined,
    address: card.pciAddress ? pciAddress(card.pciAddress) : undefined,
  }
}

function isVirtio({ model }: Interface): boolean {
  return !model || model === 'virtio'
}

function driver(card: Interface, { vmi }: Guest): DomainInterface['driver'] {
  if (!isVirtio(card)) return undefined
  const iommu = needsIommu(vmi) ? 'on' : undefined
  const queues = vmi.spec.domain.devices.networkInterfaceMultiqueue
    ? String(Math.min(vcpus(vmi.spec), mostQueues))
    : undefined
  return iommu || queues ? { $name: 'vhost', $queues: queues, $iommu: iommu } : undefined
}

/** Connections of the guest are opened by the pod itself, without a bridge and without privileges. */
function passt(card: Interface, { vmi, context }: Guest): Partial<DomainInterface> {
  const podInterface = vmi.status?.interfaces?.find(({ name }) => name === card.name)?.podInterfaceName
  return {
    $type: 'vhostuser',
    rom: undefined,
    source: { $dev: podInterface },
    backend: { $type: 'passt', $logFile: `${context.paths.share}/passt.log` },
    portForward: forwardedPorts(card, vmi),
  }
}

/** Ports of a service mesh's proxy, which shares the pod with the guest. */
const proxyPorts = [15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053, 15090]

function forwardedPorts(
  { ports = [] }: Interface,
  { metadata }: VirtualMachineInstance,
): DomainInterface['portForward'] {
  const meshed = metadata.annotations?.['sidecar.istio.io/inject']?.toLowerCase() === 'true'
  const left = meshed ? proxyPorts.map((port) => ({ $start: String(port), $exclude: 'yes' })) : []
  const listed = (protocol: string) =>
    ports
      .filter((port) => (port.protocol || 'TCP').toLowerCase() === protocol)
      .map(({ port }) => ({ $start: String(port) }))
  const ranges = { tcp: [...left, ...listed('tcp')], udp: listed('udp') }
  if (ranges.tcp.length === 0 && ranges.udp.length === 0) return [{ $proto: 'tcp' }, { $proto: 'udp' }]
  return Object.entries(ranges).flatMap(([$proto, range]) => (range.length > 0 ? [{ $proto, range }] : []))
}
