import type { CardWish } from './card.ts'
import type { Family } from './cidr.ts'

/** A link that the cluster's network gave to the pod, with its global addresses and IPv4 routes. */
export interface PodLink {
  readonly name: string
  readonly mac: string
  readonly mtu: number
  readonly addresses: readonly PodAddress[]
  /** In the kernel's order, without those that follow from the addresses. */
  readonly routes: readonly PodRoute[]
}

export interface PodAddress {
  readonly family: Family
  readonly address: string
  readonly prefix: number
}

export interface PodRoute {
  /** As `10.0.0.0/8`. */
  readonly destination: string
  /** Missing: the destination is on the link itself. */
  readonly gateway?: string
}

interface IpLink {
  ifname: string
  address?: string
  mtu: number
  addr_info?: { family: string; local: string; prefixlen: number; scope: string }[]
}

interface IpRoute {
  dst: string
  gateway?: string
  dev?: string
  prefsrc?: string
}

/**
 * Reads what `ip -json address show` and `ip -json -4 route show` print. Throws when the card's link is not among them, with
 * the network that should have made it.
 */
export function parsePodLink(
  addresses: string,
  routes: string,
  { name: card, links: { pod: name }, definition }: Pick<CardWish, 'name' | 'links' | 'definition'>,
): PodLink {
  const link = (JSON.parse(addresses) as IpLink[]).find((each) => each.ifname === name)
  if (link === undefined) {
    const absent = `the pod has no network link ${name} for interface ${card}`
    if (definition === undefined) throw new Error(absent)
    throw new Error(
      `${absent}: network attachment definition ${definition} did not make it; Multus must run on the node`,
    )
  }
  const global = (link.addr_info ?? []).filter((each) => each.scope === 'global')
  const own = new Set(global.map(({ local }) => local))
  return {
    name,
    mac: link.address ?? '',
    mtu: link.mtu,
    addresses: global.map((each) => ({
      family: each.family === 'inet6' ? 6 : 4,
      address: each.local,
      prefix: each.prefixlen,
    })),
    routes: (JSON.parse(routes || '[]') as IpRoute[])
      .filter(({ dev, prefsrc }) => dev === name && (prefsrc === undefined || !own.has(prefsrc)))
      .map(({ dst, gateway }) => ({ destination: range(dst), ...(gateway === undefined ? {} : { gateway }) })),
  }
}

function range(destination: string): string {
  if (destination === 'default') return '0.0.0.0/0'
  return destination.includes('/') ? destination : `${destination}/32`
}
