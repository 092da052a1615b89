import { dnsName } from '../dhcp/lease.ts'
import {
  type Dhcpv6Message,
  formatMessage,
  formatOptions,
  ipv6Bytes,
  messageType,
  type Option,
  option,
  parseMessage,
} from './packet.ts'

/** Everything that a guest is told about its IPv6 network. */
export type Lease6 = {
  readonly address: string
  readonly dns: readonly string[]
  readonly searchDomains: readonly string[]
  /** Who answers: a DUID of type link-layer address (RFC 8415, 11.4). */
  readonly serverId: Buffer
}

/** RFC 8415's infinity: the address never changes as long as the pod lives. */
const forever = 0xffff_ffff

/** The DUID of a server with this MAC. */
export function linkLayerDuid(mac: string): Buffer {
  return Buffer.concat([Buffer.from([0, 3, 0, 1]), Buffer.from(mac.replaceAll(':', ''), 'hex')])
}

/** The answer to a client's message, or undefined for what gets none. The sender is the guest and may send anything. */
export function answerTo(bytes: Buffer, lease: Lease6): Buffer | undefined {
  const message = parseMessage(bytes)
  const client = message?.options.get(option.clientId)
  if (message === undefined || client === undefined || !isForUs(message, lease)) return undefined
  const type = replyType(message)
  if (type === undefined) return undefined
  return formatMessage(type, message.transaction, [
    [option.clientId, client],
    [option.serverId, lease.serverId],
    ...association(message, lease),
    ...(message.type === messageType.solicit && type === messageType.reply
      ? [[option.rapidCommit, Buffer.alloc(0)] as const]
      : []),
    ...settings(lease),
  ])
}

function isForUs({ options }: Dhcpv6Message, { serverId }: Lease6): boolean {
  const wanted = options.get(option.serverId)
  return wanted === undefined || wanted.equals(serverId)
}

function replyType({ type, options }: Dhcpv6Message): number | undefined {
  switch (type) {
    case messageType.solicit:
      return options.has(option.rapidCommit) ? messageType.reply : messageType.advertise
    case messageType.request:
    case messageType.confirm:
    case messageType.renew:
    case messageType.rebind:
    case messageType.release:
    case messageType.decline:
    case messageType.informationRequest:
      return messageType.reply
    default:
      return undefined
  }
}

/** The address, under the number that the client gave its association. */
function association({ options }: Dhcpv6Message, { address }: Lease6): Option[] {
  const asked = options.get(option.iaNa)
  if (asked === undefined || asked.length < 4) return []
  const times = Buffer.alloc(8)
  times.writeUInt32BE(forever, 0)
  times.writeUInt32BE(forever, 4)
  const own = formatOptions([[option.iaAddress, Buffer.concat([ipv6Bytes(address), times])]])
  return [[option.iaNa, Buffer.concat([asked.subarray(0, 4), times, own])]]
}

function settings({ dns, searchDomains }: Lease6): Option[] {
  return [
    ...(dns.length > 0 ? [[option.dnsServers, Buffer.concat(dns.map(ipv6Bytes))] as const] : []),
    ...(searchDomains.length > 0 ? [[option.domains, Buffer.concat(searchDomains.map(dnsName))] as const] : []),
  ]
}
