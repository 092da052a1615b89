/** Message types of DHCP (option 53, RFC 2132). */
export const messageType = { discover: 1, offer: 2, request: 3, ack: 5 } as const

export type DhcpRequest = {
  readonly type: number
  readonly transaction: number
  readonly flags: number
  /** As `02:00:00:00:00:01`. */
  readonly clientMac: string
  /** The client's hardware address field as it came, for the answer. */
  readonly clientHardware: Buffer
  readonly options: ReadonlyMap<number, Buffer>
}

const headerLength = 236
const cookie = 0x63_82_53_63
const bootRequest = 1
const bootReply = 2
const ethernet = 1
const pad = 0
const end = 255
const optionMessageType = 53
/** Some clients drop answers that are shorter than BOOTP's. */
const shortestReply = 300

/** Reads a client's message. Undefined for anything that is none; the sender is the guest and may send what it likes. */
export function parseRequest(bytes: Buffer): DhcpRequest | undefined {
  if (bytes.length < headerLength + 4 || bytes.readUInt32BE(headerLength) !== cookie) return undefined
  const hardware = { type: bytes.readUInt8(1), length: bytes.readUInt8(2) }
  if (bytes.readUInt8(0) !== bootRequest || hardware.type !== ethernet || hardware.length !== 6) return undefined
  const options = parseOptions(bytes.subarray(headerLength + 4))
  const type = options.get(optionMessageType)
  if (type?.length !== 1) return undefined
  return {
    type: type.readUInt8(),
    transaction: bytes.readUInt32BE(4),
    flags: bytes.readUInt16BE(10),
    clientMac: macText(bytes.subarray(28, 34)),
    clientHardware: Buffer.from(bytes.subarray(28, 44)),
    options,
  }
}

function parseOptions(bytes: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>()
  for (let at = 0; at < bytes.length;) {
    const code = bytes.readUInt8(at)
    if (code === end) break
    if (code === pad) {
      at += 1
      continue
    }
    if (at + 1 >= bytes.length) break
    const length = bytes.readUInt8(at + 1)
    const value = bytes.subarray(at + 2, at + 2 + length)
    if (value.length < length) break
    options.set(code, Buffer.from(value))
    at += 2 + length
  }
  return options
}

function macText(bytes: Buffer): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
}

export type DhcpReply = {
  readonly type: number
  /** The address that the client gets. */
  readonly clientAddress: string
  readonly options: readonly (readonly [code: number, value: Buffer])[]
}

/** Writes the answer to a request. Values longer than an option can hold are split as RFC 3396 says. */
export function formatReply(request: DhcpRequest, { type, clientAddress, options }: DhcpReply): Buffer {
  const header = Buffer.alloc(headerLength + 4)
  header.writeUInt8(bootReply, 0)
  header.writeUInt8(ethernet, 1)
  header.writeUInt8(6, 2)
  header.writeUInt32BE(request.transaction, 4)
  header.writeUInt16BE(request.flags, 10)
  addressBytes(clientAddress).copy(header, 16)
  request.clientHardware.copy(header, 28)
  header.writeUInt32BE(cookie, headerLength)
  const all = [[optionMessageType, Buffer.from([type])] as const, ...options]
  const reply = Buffer.concat([header, ...all.map(([code, value]) => option(code, value)), Buffer.from([end])])
  return reply.length >= shortestReply ? reply : Buffer.concat([reply, Buffer.alloc(shortestReply - reply.length)])
}

function option(code: number, value: Buffer): Buffer {
  if (value.length <= 255) return Buffer.concat([Buffer.from([code, value.length]), value])
  return Buffer.concat([option(code, value.subarray(0, 255)), option(code, value.subarray(255))])
}

/** The four bytes of an IPv4 address. */
export function addressBytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}
