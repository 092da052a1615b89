import type { Interface, VirtualMachineInstance, VirtualMachineInstanceNetworkInterface } from '@kubevirt-ts/api'
import type { Domain, DomainInterface, InterfaceStatus } from '@kubevirt-ts/domain'
import { presentInterfaces } from '@kubevirt-ts/vmispec'
import type { CardRecord } from '../../host/network/phase1.ts'
import type { PodLink } from '../../host/network/pod-link.ts'

/** More would not fit into an object that the API server takes; the guest decides how many it reports. */
const maxAddresses = 32
const maxGuestInterfaces = 64

/** The VMI's interfaces as the domain, the pod and the guest's agent tell of them, in the order of the spec. */
export function interfaceStatuses(
  vmi: VirtualMachineInstance,
  domain: Domain,
  cards: Readonly<Record<string, CardRecord>> | undefined,
): VirtualMachineInstanceNetworkInterface[] {
  const own = presentInterfaces(vmi.spec).map((iface) => {
    const before = vmi.status?.interfaces?.find(({ name }) => name === iface.name)
    return interfaceStatus(iface, before, domain, cards?.[iface.name]?.link)
  })
  return [...own, ...madeByGuest(domain, own)]
}

/** Interfaces that only the guest knows, such as its own bridges. */
function madeByGuest(
  { status }: Domain,
  own: readonly VirtualMachineInstanceNetworkInterface[],
): VirtualMachineInstanceNetworkInterface[] {
  return (status.interfaces ?? [])
    .filter(({ mac }) => mac === undefined || !own.some((each) => each.mac === mac))
    .slice(0, maxGuestInterfaces)
    .map(({ mac, interfaceName, ips = [] }) => ({
      ...(mac === undefined ? {} : { mac }),
      ...(interfaceName === undefined ? {} : { interfaceName }),
      ...(ips.length === 0 ? {} : { ipAddress: ips[0], ipAddresses: ips.slice(0, maxAddresses) }),
      infoSource: 'guest-agent',
    }))
}

function interfaceStatus(
  iface: Interface,
  before: VirtualMachineInstanceNetworkInterface | undefined,
  domain: Domain,
  link: PodLink | undefined,
): VirtualMachineInstanceNetworkInterface {
  const device = deviceNamed(domain, iface.name)
  const mac = device?.mac?.$address ?? iface.macAddress
  const agent = domain.status.interfaces?.find((each) => each.mac !== undefined && each.mac === mac)
  const addresses = addressesOf(iface, agent, link)
  const [ipAddress] = addresses
  return {
    ...before,
    name: iface.name,
    ...(mac === undefined ? {} : { mac }),
    ...(ipAddress === undefined ? {} : { ipAddress, ipAddresses: addresses }),
    ...(agent?.interfaceName === undefined ? {} : { interfaceName: agent.interfaceName }),
    infoSource: infoSource(device !== undefined, agent !== undefined, before),
    queueCount: Number(device?.driver?.$queues ?? 1),
    linkState: device?.link?.$state ?? 'up',
  }
}

/** Behind a masquerade the guest is reached at the pod's addresses, whatever it calls itself; else it knows best. */
function addressesOf(iface: Interface, agent: InterfaceStatus | undefined, link: PodLink | undefined): string[] {
  const told = iface.masquerade === undefined ? (agent?.ips ?? []) : []
  const addresses = told.length > 0 ? told : (link?.addresses ?? []).map(({ address }) => address)
  return addresses.slice(0, maxAddresses)
}

/** Who knows of the interface; that the pod has its link is for virt-controller to say. */
function infoSource(
  inDomain: boolean,
  inGuest: boolean,
  before: VirtualMachineInstanceNetworkInterface | undefined,
): string {
  const inPod = before?.infoSource?.split(', ').includes('multus-status') === true
  return [
    ...(inDomain ? ['domain'] : []),
    ...(inGuest ? ['guest-agent'] : []),
    ...(inPod ? ['multus-status'] : []),
  ].join(', ')
}

/** A guest that has ended has no address. */
export function withoutAddresses(
  interfaces: readonly VirtualMachineInstanceNetworkInterface[] | undefined,
): VirtualMachineInstanceNetworkInterface[] | undefined {
  return interfaces?.map((each) => {
    const rest = { ...each }
    delete rest.ipAddress
    delete rest.ipAddresses
    return rest
  })
}

function deviceNamed({ spec }: Domain, name: string): DomainInterface | undefined {
  return spec.devices?.interface?.find(({ alias }) => alias?.$name === `ua-${name}` || alias?.$name === name)
}
