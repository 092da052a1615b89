import type { NetworkCacheIpv4 } from '@kubevirt-ts/handler-launcher-com'
import { randomBytes } from 'node:crypto'
import { type CardPlan, type CardWish, planTap } from './card.ts'
import type { PodLink } from './pod-link.ts'

/** The link type that stands in for the pod's link under its old name. */
export type PlaceholderType = 'dummy' | 'bridge'

export interface BridgeOptions {
  readonly placeholder: PlaceholderType
  /** Whether the kernel knows IPv6. */
  readonly ipv6: boolean
  /** Address that DHCP answers come from; without one the guest gets no address from us. */
  readonly serverAddress?: string
}

/**
 * Plans the guest's way onto the pod's own link: the link becomes a port of a bridge and gives its MAC and its addresses
 * to the guest. A placeholder that leads nowhere keeps its name, MAC and addresses, which tell others who the pod is.
 */
export function planBridge(wish: CardWish, link: PodLink, options: BridgeOptions): CardPlan {
  const { bridge, renamedPod, pod } = wish.links
  const mac = randomMac()
  const lease = options.serverAddress === undefined ? undefined : leaseOf(link, options.serverAddress)
  const silent = (name: string): string[] => (options.ipv6 ? [`link set dev ${name} addrgenmode none`] : [])
  return {
    commands: [
      `link set dev ${pod} down`,
      `address flush dev ${pod}`,
      `link set dev ${pod} name ${renamedPod}`,
      `link add name ${bridge} address ${mac} mtu ${link.mtu} type bridge`,
      ...silent(bridge),
      ...silent(renamedPod),
      `link set dev ${renamedPod} address ${mac}`,
      `link set dev ${renamedPod} master ${bridge}`,
      // Only the guest's port is learnt from: what the guest sent must not lead back to it from outside.
      `link set dev ${renamedPod} type bridge_slave learning off`,
      `link add name ${pod} address ${link.mac} mtu ${link.mtu} type ${options.placeholder}`,
      ...link.addresses.map(({ address, prefix, family }) => {
        return `address add ${address}/${prefix} dev ${pod}${family === 6 ? ' nodad' : ''}`
      }),
      ...(lease === undefined ? [] : [`address add ${lease.server}/32 dev ${bridge}`]),
      `link set dev ${bridge} up`,
      `link set dev ${renamedPod} up`,
    ],
    tap: planTap(wish, link.mtu),
    // The pod still counts the address as its own; only the guest may answer for it.
    settings: hasIpv4(link) ? ['net/ipv4/conf/all/arp_ignore=1'] : [],
    cache: { mac: link.mac, mtu: link.mtu, ...(lease === undefined ? {} : { ipv4: lease }) },
  }
}

const hasIpv4 = ({ addresses }: PodLink): boolean => addresses.some(({ family }) => family === 4)

function leaseOf({ addresses, routes }: PodLink, server: string): NetworkCacheIpv4 | undefined {
  const own = addresses.find(({ family }) => family === 4)
  if (own === undefined) return undefined
  const router = routes.find(({ gateway }) => gateway !== undefined)?.gateway
  const { address, prefix: prefixLength } = own
  return { address, prefixLength, server, routes, ...(router === undefined ? {} : { router }) }
}

/** Locally administered, for one card. */
function randomMac(): string {
  return ['02', ...Array.from(randomBytes(5), (byte) => byte.toString(16).padStart(2, '0'))].join(':')
}
