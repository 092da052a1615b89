/**
 * What virt-handler tells a launcher about one network card when it has built the pod's side of it. One JSON file per
 * card, below the launcher's private folder: it must be there before the guest is defined and outlive the caller.
 */
export interface NetworkCache {
  /** Set when the launcher has to give the guest its address: by DHCP. */
  readonly ipv4?: NetworkCacheIpv4
  /** The same by DHCPv6. */
  readonly ipv6?: { readonly address: string }
  /** Of the pod's link before anything was changed. */
  readonly mac: string
  readonly mtu: number
}

export interface NetworkCacheIpv4 {
  readonly address: string
  readonly prefixLength: number
  /** The address that answers come from; it is on the guest's bridge. */
  readonly server: string
  readonly router?: string
  readonly routes: readonly NetworkCacheRoute[]
}

export interface NetworkCacheRoute {
  /** As `10.0.0.0/8`; the default route is `0.0.0.0/0`. */
  readonly destination: string
  /** Missing: the destination is on the link itself. */
  readonly gateway?: string
}

/** Folder of these files below the launcher's private folder. */
export const networkCacheFolder = 'network-cache'

/** The file's name. Throws for a name that no network card can have. */
export function networkCacheFile(card: string): string {
  if (!/^[A-Za-z0-9_-]{1,63}$/.test(card)) throw new Error(`"${card}" cannot be the name of a network card`)
  return `${card}.json`
}
