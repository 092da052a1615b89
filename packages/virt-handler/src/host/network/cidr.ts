export type Family = 4 | 6

export interface Cidr {
  readonly family: Family
  readonly network: bigint
  readonly prefix: number
}

const bits = { 4: 32, 6: 128 } as const

/** Reads `10.0.2.0/24` or `fd10:0:2::/120`; host bits are dropped. Throws when it is neither. */
export function parseCidr(text: string): Cidr {
  const [address = '', prefixText = ''] = text.split('/')
  const family: Family = address.includes(':') ? 6 : 4
  const prefix = Number(prefixText)
  if (!/^\d{1,3}$/.test(prefixText) || prefix > bits[family]) throw new Error(`"${text}" is not a network range`)
  const value = family === 6 ? parseIpv6(address) : parseIpv4(address)
  if (value === undefined) throw new Error(`"${text}" is not a network range`)
  const hostBits = BigInt(bits[family] - prefix)
  return { family, prefix, network: (value >> hostBits) << hostBits }
}

/** The nth address of the range, without prefix. */
export function addressAt(cidr: Cidr, index: number): string {
  const value = cidr.network + BigInt(index)
  return cidr.family === 6 ? formatIpv6(value) : formatIpv4(value)
}

/** Whether a gateway and a guest fit between the range's first and last address. */
export function hasRoomForGuest(cidr: Cidr): boolean {
  return bits[cidr.family] - cidr.prefix >= 2
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const groups = [...(head ?? []), ...(tail ?? [])]
  const missing = 8 - groups.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  const full = [...(head ?? []), ...Array<string>(missing).fill('0'), ...(tail ?? [])]
  return full.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

/** The longest run of zero groups is shortened to `::`, the first of equals. */
function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  const runs = groups.join(':').match(/\b0(?::0)+\b/g) ?? []
  const longest = runs.toSorted((a, b) => b.length - a.length)[0]
  if (longest === undefined) return groups.join(':')
  const [before = '', after = ''] = splitOnce(groups.join(':'), longest)
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`
}

function splitOnce(text: string, separator: string): readonly string[] {
  const start = text.search(new RegExp(`\\b${separator}\\b`))
  return [text.slice(0, start), text.slice(start + separator.length)]
}
