/** Message types of DHCPv6 (RFC 8415). */
export const messageType = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  renew: 5,
  rebind: 6,
  reply: 7,
  release: 8,
  decline: 9,
  informationRequest: 11,
} as const

export const option = { clientId: 1, serverId: 2, iaNa: 3, iaAddress: 5, rapidCommit: 14, dnsServers: 23, domains: 24 }

export type Dhcpv6Message = {
  readonly type: number
  /** Three bytes. */
  readonly transaction: Buffer
  readonly options: ReadonlyMap<number, Buffer>
}

const headerLength = 4

/** Reads a client's message; the first of repeated options counts. Undefined for anything that is none. */
export function parseMessage(bytes: Buffer): Dhcpv6Message | undefined {
  if (bytes.length < headerLength) return undefined
  const options = new Map<number, Buffer>()
  for (let at = headerLength; at < bytes.length;) {
    if (at + 4 > bytes.length) return undefined
    const code = bytes.readUInt16BE(at)
    const value = bytes.subarray(at + 4, at + 4 + bytes.readUInt16BE(at + 2))
    if (value.length < bytes.readUInt16BE(at + 2)) return undefined
    if (!options.has(code)) options.set(code, Buffer.from(value))
    at += 4 + value.length
  }
  return { type: bytes.readUInt8(0), transaction: Buffer.from(bytes.subarray(1, headerLength)), options }
}

export type Option = readonly [code: number, value: Buffer]

export function formatMessage(type: number, transaction: Buffer, options: readonly Option[]): Buffer {
  return Buffer.concat([Buffer.from([type]), transaction, formatOptions(options)])
}

export function formatOptions(options: readonly Option[]): Buffer {
  return Buffer.concat(
    options.flatMap(([code, value]) => {
      const head = Buffer.alloc(4)
      head.writeUInt16BE(code, 0)
      head.writeUInt16BE(value.length, 2)
      return [head, value]
    }),
  )
}

/** The sixteen bytes of an IPv6 address without zone. Throws for anything else. */
export function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const first = groups(head)
  const last = tail === undefined ? [] : groups(tail)
  const missing = tail === undefined ? 0 : 8 - first.length - last.length
  const all = [...first, ...Array<string>(Math.max(missing, 0)).fill('0'), ...last]
  if (all.length !== 8) throw new Error(`"${address}" is not an IPv6 address`)
  return Buffer.concat(
    all.map((group) => {
      const bytes = Buffer.alloc(2)
      bytes.writeUInt16BE(Number.parseInt(group, 16))
      return bytes
    }),
  )
}
