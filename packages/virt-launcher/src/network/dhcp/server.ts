import { createSocket } from 'node:dgram'
import { udpSocketOnDevice } from '@kubevirt-ts/linux'
import type { Logger } from '@kubevirt-ts/service'
import { leaseOptions, type Lease } from './lease.ts'
import { formatReply, messageType, parseRequest, type DhcpRequest } from './packet.ts'

const serverPort = 67
const clientPort = 68

export type DhcpServer = { close(): void }

export type DhcpServerOptions = {
  /** The bridge that the guest's tap is on. */
  readonly device: string
  readonly lease: Lease
  /** The only client that is answered; any when it is not known. */
  readonly clientMac?: string
  readonly log: Logger
}

/** The answer to a client's message, or undefined for what gets none: other clients, other messages. */
export function answerTo(
  message: Buffer,
  { lease, clientMac }: Pick<DhcpServerOptions, 'lease' | 'clientMac'>,
): Buffer | undefined {
  const request = parseRequest(message)
  if (!request || (clientMac !== undefined && request.clientMac !== clientMac.toLowerCase())) return undefined
  const type = replyType(request)
  if (type === undefined) return undefined
  return formatReply(request, { type, clientAddress: lease.address, options: leaseOptions(lease) })
}

function replyType({ type }: DhcpRequest): number | undefined {
  if (type === messageType.discover) return messageType.offer
  return type === messageType.request ? messageType.ack : undefined
}

/**
 * Gives one guest its one address. Rejects when the port cannot be had on that device.
 * Answers are broadcast: the guest has no address yet that could be resolved.
 */
export async function startDhcpServer(options: DhcpServerOptions): Promise<DhcpServer> {
  const { device, log } = options
  const socket = createSocket('udp4')
  socket.on('message', (message) => {
    const answer = answerTo(message, options)
    if (answer)
      socket.send(
        answer,
        clientPort,
        '255.255.255.255',
        (error) => error && log.warn({ error, device }, 'a DHCP answer was not sent'),
      )
  })
  const fd = udpSocketOnDevice(device, serverPort)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ fd }, () => resolve())
  })
  socket.on('error', (error) => log.error({ error, device }, 'the DHCP server failed'))
  log.info({ device, address: options.lease.address }, 'serving DHCP')
  return { close: () => socket.close() }
}
