import type { Interface, Network, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

export function networkNamed(spec: VirtualMachineInstanceSpec, name: string): Network | undefined {
  return spec.networks?.find((network) => network.name === name)
}

export function interfaceNamed(spec: VirtualMachineInstanceSpec, name: string): Interface | undefined {
  return spec.domain.devices.interfaces?.find((iface) => iface.name === name)
}

/** The network that every pod of the cluster has. */
export function podNetwork(spec: VirtualMachineInstanceSpec): Network | undefined {
  return spec.networks?.find(({ pod }) => pod)
}

/** A network of Multus that is not the pod's default one. */
export function isSecondaryMultus(network: Network): boolean {
  return network.multus !== undefined && network.multus.default !== true
}

/** The network behind the pod's first interface: the pod network, or the default one of Multus. */
export function primaryNetwork(spec: VirtualMachineInstanceSpec): Network | undefined {
  return podNetwork(spec) ?? spec.networks?.find(({ multus }) => multus?.default === true)
}

/** How an interface is joined to its network, or nothing when the spec does not say. */
export function bindingOf(iface: Interface): 'bridge' | 'masquerade' | 'sriov' | 'passtBinding' | 'plugin' | undefined {
  if (iface.bridge) return 'bridge'
  if (iface.masquerade) return 'masquerade'
  if (iface.sriov) return 'sriov'
  if (iface.passtBinding) return 'passtBinding'
  return iface.binding ? 'plugin' : undefined
}

/** Interfaces that the guest is to have: not those that are marked as absent. */
export function presentInterfaces(spec: VirtualMachineInstanceSpec): Interface[] {
  return (spec.domain.devices.interfaces ?? []).filter(({ state }) => state !== 'absent')
}

const defaultCidr = { ipv4: '10.0.2.0/24', ipv6: 'fd10:0:2::/120' } as const

/** The addresses behind a masquerade, as the guest sees them. */
export function masqueradeCidrs(network: Network): { ipv4: string; ipv6: string } {
  return {
    ipv4: network.pod?.vmNetworkCIDR || defaultCidr.ipv4,
    ipv6: network.pod?.vmIPv6NetworkCIDR || defaultCidr.ipv6,
  }
}
