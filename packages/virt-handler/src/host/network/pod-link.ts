import type { Family } from './cidr.ts'

/** The link that the cluster's network gave to the pod, with its global addresses. */
export interface PodLink {
  readonly name: string
  readonly mac: string
  readonly mtu: number
  readonly addresses: readonly PodAddress[]
}

export interface PodAddress {
  readonly family: Family
  readonly address: string
  readonly prefix: number
}

interface IpLink {
  ifname: string
  address?: string
  mtu: number
  addr_info?: { family: string; local: string; prefixlen: number; scope: string }[]
}

/** Reads what `ip -json address show` prints. Throws when the link is not among them. */
export function parsePodLink(json: string, name: string): PodLink {
  const link = (JSON.parse(json) as IpLink[]).find((each) => each.ifname === name)
  if (link === undefined) throw new Error(`the pod has no network link ${name}`)
  const global = (link.addr_info ?? []).filter((each) => each.scope === 'global')
  return {
    name,
    mac: link.address ?? '',
    mtu: link.mtu,
    addresses: global.map((each) => ({
      family: each.family === 'inet6' ? 6 : 4,
      address: each.local,
      prefix: each.prefixlen,
    })),
  }
}
