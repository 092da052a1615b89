import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { bindingOf, linkNames, masqueradeCidrs, networkNamed, presentInterfaces, vcpus } from '@kubevirt-ts/vmispec'
import type { MasqueradeRequest } from '../host/network/masquerade.ts'
import { CriticalNetworkError } from '../host/network/phase1.ts'

/** The guest's wish for the pod network: which link of the pod, and how the guest hides behind it. */
export interface PodNetworkWish {
  readonly interfaceName: string
  readonly podLink: string
  readonly masquerade: MasqueradeRequest
}

/** What must be built for the VMI; undefined without an interface. Throws for a binding that cannot be served here. */
export function podNetworkWish({ spec, status }: VirtualMachineInstance): PodNetworkWish | undefined {
  const interfaces = presentInterfaces(spec)
  const unserved = interfaces.find((each) => bindingOf(each) !== 'masquerade')
  if (unserved !== undefined)
    throw new CriticalNetworkError(
      `interface ${unserved.name} asks for ${bindingOf(unserved) ?? 'no'} binding; this version serves masquerade only`,
    )
  const [iface, second] = interfaces
  if (iface === undefined) return undefined
  if (second !== undefined)
    throw new CriticalNetworkError(`interface ${second.name} is a second one; this version serves one per guest`)
  const network = networkNamed(spec, iface.name)
  if (network === undefined) throw new CriticalNetworkError(`interface ${iface.name} has no network of its name`)
  const { ipv4, ipv6 } = masqueradeCidrs(network)
  const known = status?.interfaces?.find(({ name }) => name === iface.name)?.podInterfaceName
  const multiqueue = spec.domain.devices.networkInterfaceMultiqueue === true && (iface.model ?? 'virtio') === 'virtio'
  return {
    interfaceName: iface.name,
    podLink: known ?? linkNames(network).pod,
    masquerade: { ports: iface.ports ?? [], cidr: ipv4, ipv6Cidr: ipv6, queues: multiqueue ? vcpus(spec) : 1 },
  }
}
