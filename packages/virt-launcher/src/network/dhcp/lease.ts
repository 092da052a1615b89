import { addressBytes } from './packet.ts'

/** Everything that a guest is told about its network. */
export type Lease = {
  readonly address: string
  readonly prefixLength: number
  readonly server: string
  readonly router?: string
  /** Told besides the router, for guests whose router is outside their own network. */
  readonly routes?: readonly Route[]
  readonly dns: readonly string[]
  readonly mtu?: number
  readonly hostname?: string
  readonly searchDomains: readonly string[]
  readonly ntpServers?: readonly string[]
  readonly tftpServer?: string
  readonly bootFile?: string
  /** Options 224 to 254, by number. */
  readonly privateOptions?: Readonly<Record<number, string>>
}

export type Route = {
  /** As `10.0.0.0/8`. */
  readonly destination: string
  /** Missing: the destination is on the link itself. */
  readonly gateway?: string
}

/** The address never changes as long as the pod lives, so the lease may be as long as that. */
const leaseSeconds = 999 * 24 * 60 * 60

const longestSearchList = 255

/** The options of an answer, in ascending order of what a client needs first. */
export function leaseOptions(lease: Lease): (readonly [number, Buffer])[] {
  const options: [number, Buffer | undefined][] = [
    [54, addressBytes(lease.server)],
    [51, uint32(leaseSeconds)],
    [1, addressBytes(netmask(lease.prefixLength))],
    [3, lease.router === undefined ? undefined : addressBytes(lease.router)],
    [6, addresses(lease.dns)],
    [26, lease.mtu === undefined ? undefined : uint16(lease.mtu)],
    [12, text(lease.hostname)],
    [15, text(longest(lease.searchDomains))],
    [119, searchList(lease.searchDomains)],
    [121, classlessRoutes(lease.routes ?? [])],
    [42, addresses(lease.ntpServers ?? [])],
    [66, text(lease.tftpServer)],
    [67, text(lease.bootFile)],
    ...Object.entries(lease.privateOptions ?? {}).map(([code, value]): [number, Buffer | undefined] => [
      Number(code),
      text(value),
    ]),
  ]
  return options.flatMap(([code, value]) => (value === undefined ? [] : [[code, value] as const]))
}

/** Ranges with their next hops (RFC 3442); 0.0.0.0 is the link itself. The default route comes last. */
function classlessRoutes(routes: readonly Route[]): Buffer | undefined {
  if (routes.length === 0) return undefined
  const isDefault = ({ destination }: Route): boolean => destination.endsWith('/0')
  const ordered = [...routes.filter((route) => !isDefault(route)), ...routes.filter(isDefault)]
  return Buffer.concat(
    ordered.flatMap(({ destination, gateway = '0.0.0.0' }) => {
      const [network = '', prefix] = destination.split('/')
      const length = Number(prefix)
      return [Buffer.from([length]), addressBytes(network).subarray(0, Math.ceil(length / 8)), addressBytes(gateway)]
    }),
  )
}

function netmask(prefixLength: number): string {
  const mask = prefixLength === 0 ? 0 : (0xffffffff << (32 - prefixLength)) >>> 0
  return [mask >>> 24, (mask >>> 16) & 255, (mask >>> 8) & 255, mask & 255].join('.')
}

function addresses(list: readonly string[]): Buffer | undefined {
  return list.length > 0 ? Buffer.concat(list.map(addressBytes)) : undefined
}

function text(value: string | undefined): Buffer | undefined {
  return value ? Buffer.from(value) : undefined
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function longest(domains: readonly string[]): string | undefined {
  return domains.toSorted((a, b) => b.length - a.length)[0]
}

/** Names as in DNS (RFC 3397), as many as fit. */
function searchList(domains: readonly string[]): Buffer | undefined {
  let list = Buffer.alloc(0)
  for (const domain of domains) {
    const next = Buffer.concat([list, dnsName(domain)])
    if (next.length > longestSearchList) break
    list = next
  }
  return list.length > 0 ? list : undefined
}

/** A name as DNS writes it: each label with its length. */
export function dnsName(domain: string): Buffer {
  const labels = domain.split('.').filter((label) => label !== '' && label.length < 64)
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])
}
