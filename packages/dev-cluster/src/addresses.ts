/**
 * Where everything of a cluster is, derived from its slot alone, so that several clusters run side by side.
 * All addresses lie in 198.18.0.0/15, the range for benchmarks (RFC 2544), which no real network uses.
 */
export type Addresses = {
  /** Linux bridge that the nodes hang on. */
  readonly bridge: string
  /** The host on that bridge: API server and image registry listen here. */
  readonly host: string
  readonly hostWithPrefix: string
  /** Range of all pods of the cluster. */
  readonly pods: string
  readonly services: string
  /** Address of the `kubernetes` Service: the range's first. */
  readonly apiService: string
  readonly dnsService: string
  readonly ports: {
    readonly apiServer: number
    readonly etcd: number
    readonly etcdPeer: number
    readonly controllerManager: number
    readonly scheduler: number
    readonly registry: number
  }
}

/** Addresses of one node, counted from 1. */
export type NodeAddresses = {
  readonly address: string
  readonly addressWithPrefix: string
  readonly pods: string
  readonly gateway: string
  /** The host's end of the node's cable. */
  readonly link: string
}

export const slots = 8
export const maxNodes = 15

export function addressesOf(slot: number): Addresses {
  const network = `198.19.${255 - slot}`
  return {
    bridge: `kvts${slot}`,
    host: `${network}.1`,
    hostWithPrefix: `${network}.1/24`,
    pods: `198.18.${slot * 16}.0/20`,
    services: `198.18.${128 + slot * 16}.0/20`,
    apiService: `198.18.${128 + slot * 16}.1`,
    dnsService: `198.18.${128 + slot * 16}.10`,
    ports: {
      apiServer: 6443 + slot * 100,
      etcd: 2379 + slot * 100,
      etcdPeer: 2380 + slot * 100,
      controllerManager: 10257 + slot * 100,
      scheduler: 10259 + slot * 100,
      registry: 5000,
    },
  }
}

export function nodeAddressesOf(slot: number, node: number): NodeAddresses {
  const address = `198.19.${255 - slot}.${10 + node}`
  const pods = `198.18.${slot * 16 + node}`
  return {
    address,
    addressWithPrefix: `${address}/24`,
    pods: `${pods}.0/24`,
    gateway: `${pods}.1`,
    link: `kvts${slot}n${node}`,
  }
}

/** The slot that a new cluster gets: `demo` and `test` have fixed ones where these are free. */
export function chooseSlot(name: string, taken: ReadonlySet<number>): number | undefined {
  const preferred = name === 'demo' ? 0 : name === 'test' ? 1 : 2
  const order = [preferred, 2, 3, 4, 5, 6, 7, 1, 0]
  return order.find((slot) => !taken.has(slot))
}
