import { addressAt, type Family, hasRoomForGuest, parseCidr } from './cidr.ts'
import type { PodLink } from './pod-link.ts'

/** What a user may say about an interface with masquerade binding. */
export interface MasqueradeRequest {
  readonly ports: readonly GuestPort[]
  /** Ranges the guest's addresses are taken from; KubeVirt's unless told. */
  readonly cidr?: string
  readonly ipv6Cidr?: string
}

export interface GuestPort {
  readonly port: number
  /** Defaults to tcp. */
  readonly protocol?: string
}

/** How the guest hides behind the pod's link. */
export interface MasqueradePlan {
  readonly podLink: string
  readonly bridge: string
  readonly bridgeMac: string
  readonly mtu: number
  readonly ports: readonly Required<GuestPort>[]
  /** One per address family that the pod has. */
  readonly ranges: readonly MasqueradeRange[]
}

export interface MasqueradeRange {
  readonly family: Family
  readonly gateway: string
  readonly prefix: number
  readonly guest: string
}

const defaultCidr = { 4: '10.0.2.0/24', 6: 'fd10:0:2::/120' } as const
const bridgeMac = '02:00:00:00:00:00'

/** Plans the NAT between the pod's link and a bridge. Throws on a range without room for a guest. */
export function planMasquerade(link: PodLink, bridge: string, request: MasqueradeRequest): MasqueradePlan {
  const families = ([4, 6] as const).filter((family) => link.addresses.some((each) => each.family === family))
  return {
    podLink: link.name,
    bridge,
    bridgeMac,
    mtu: link.mtu,
    ports: request.ports.map(({ port, protocol = 'tcp' }) => ({ port, protocol: protocol.toLowerCase() })),
    ranges: families.map((family) => rangeOf(family, request)),
  }
}

function rangeOf(family: Family, request: MasqueradeRequest): MasqueradeRange {
  const text = (family === 4 ? request.cidr : request.ipv6Cidr) ?? defaultCidr[family]
  const cidr = parseCidr(text)
  if (cidr.family !== family) throw new Error(`"${text}" is not an IPv${family} range`)
  if (!hasRoomForGuest(cidr)) throw new Error(`"${text}" has no room for a gateway and a guest`)
  return { family, gateway: addressAt(cidr, 1), guest: addressAt(cidr, 2), prefix: cidr.prefix }
}
