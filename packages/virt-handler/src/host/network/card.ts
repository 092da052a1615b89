import type { NetworkCache } from '@kubevirt-ts/handler-launcher-com'
import type { LinkNames } from '@kubevirt-ts/vmispec'
import type { MasqueradeRequest } from './masquerade.ts'

/** What the guest's network card needs in the pod. */
export interface CardWish {
  /** The card's name in the VMI. */
  readonly name: string
  readonly links: LinkNames
  /** The network attachment definition whose plugin makes the pod's link; without one the cluster's own network does. */
  readonly definition?: string
  /** Queues of the tap; more than one makes a multi-queue tap. */
  readonly queues: number
  readonly attachment: Attachment
}

/** `bridge`: the guest takes over the pod's address by DHCP. `managedTap`: the same without DHCP, for binding plugins. */
export type Attachment =
  | ({ readonly kind: 'masquerade' } & MasqueradeRequest)
  | { readonly kind: 'bridge'; readonly serverAddress: string }
  | { readonly kind: 'managedTap' }
  | { readonly kind: 'passt' }

/** Everything that phase 1 does for one card. */
export interface CardPlan {
  /** Lines of `ip -batch -`. */
  readonly commands: readonly string[]
  /** The guest's end, made when the commands are done. */
  readonly tap?: TapPlan
  /** Files below /proc/sys with what to write into them, as `net/ipv4/ip_forward=1`. */
  readonly settings: readonly string[]
  /** Input of `nft -f -`. */
  readonly rules?: string
  readonly cache: NetworkCache
}

/** Lines of `ip -batch -`. */
export interface TapPlan {
  /** SELinux lets the guest's QEMU open a tap that was made in its own context: it is made apart from the rest. */
  readonly make: string
  readonly join: readonly string[]
}

const mostQueues = 256
/** Owner of the tap: the user QEMU runs as. */
const guestUser = 107

/** The guest's end of a bridge. */
export function planTap({ links: { tap, bridge }, queues }: CardWish, mtu: number): TapPlan {
  return {
    make: `tuntap add dev ${tap} mode tap user ${guestUser} group ${guestUser}${Math.min(queues, mostQueues) > 1 ? ' multi_queue' : ''}`,
    join: [`link set dev ${tap} mtu ${mtu}`, `link set dev ${tap} master ${bridge}`, `link set dev ${tap} up`],
  }
}
