import { isIPv4, isIPv6 } from 'node:net'

export type ResolvConf = {
  readonly nameservers: readonly string[]
  /** Those with IPv6 addresses. */
  readonly nameservers6: readonly string[]
  readonly search: readonly string[]
}

const publicServer = '8.8.8.8'
const defaultSearch = 'cluster.local'

/** What a pod's /etc/resolv.conf says, as far as DHCP and DHCPv6 clients can be told. */
export function parseResolvConf(text: string): ResolvConf {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  const nameservers = lines.flatMap(([key, value]) => (key === 'nameserver' && value ? [value] : []))
  const search = lines.findLast(([key]) => key === 'search')?.slice(1) ?? [defaultSearch]
  return {
    nameservers: nameservers.length > 0 ? nameservers.filter((server) => isIPv4(server)) : [publicServer],
    nameservers6: nameservers.filter((server) => isIPv6(server)),
    search,
  }
}

/** With a subdomain the guest's own domain comes first: `<subdomain>.<namespace>.svc.<cluster domain>`. */
export function withSubdomain(search: readonly string[], subdomain: string | undefined): readonly string[] {
  const services = search.filter((domain) => domain.includes('.svc.')).toSorted((a, b) => b.length - a.length)[0]
  return subdomain && services ? [`${subdomain}.${services}`, ...search] : search
}
