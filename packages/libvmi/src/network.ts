import type { Interface, Network, Port } from '@kubevirt-ts/api'
import type { VmiPiece } from './piece.ts'

export function withInterface(iface: Interface, network: Network): VmiPiece {
  return ({ spec }) => {
    spec.domain.devices.interfaces = [...(spec.domain.devices.interfaces ?? []), iface]
    spec.networks = [...(spec.networks ?? []), network]
  }
}

/** The pod network behind a masquerade. */
export function withMasquerade(ports: readonly Port[] = [], name = 'default'): VmiPiece {
  const iface: Interface = { name, masquerade: {}, ...(ports.length > 0 && { ports: [...ports] }) }
  return withInterface(iface, { name, pod: {} })
}

/** The pod network, bridged to the guest. */
export function withBridge(name = 'default'): VmiPiece {
  return withInterface({ name, bridge: {} }, { name, pod: {} })
}

export function withoutNetwork(): VmiPiece {
  return ({ spec }) => {
    spec.domain.devices.autoattachPodInterface = false
  }
}
