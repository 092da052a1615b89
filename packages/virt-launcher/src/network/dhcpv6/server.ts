import { createSocket } from 'node:dgram'
import { udpSocketOnDevice } from '@kubevirt-ts/linux'
import type { Logger } from '@kubevirt-ts/service'
import { answerTo, type Lease6 } from './answer.ts'

const serverPort = 547
/** All DHCPv6 relays and servers of a link. */
const group = 'ff02::1:2'

/**
 * Gives one guest its one IPv6 address. Rejects when the port cannot be had on that device. The guest's default route is
 * not among what DHCPv6 can tell, and router advertisements need a right that a guest's pod does not have.
 */
export async function startDhcpv6Server(device: string, lease: Lease6, log: Logger): Promise<{ close(): void }> {
  const socket = createSocket('udp6')
  socket.on('message', (message, { address, port }) => {
    const answer = answerTo(message, lease)
    if (answer)
      socket.send(
        answer,
        port,
        address,
        (error) => error && log.warn({ error, device }, 'a DHCPv6 answer was not sent'),
      )
  })
  const fd = udpSocketOnDevice(device, serverPort, 6)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ fd }, () => resolve())
  })
  socket.on('error', (error) => log.error({ error, device }, 'the DHCPv6 server failed'))
  socket.addMembership(group, `::%${device}`)
  log.info({ device, address: lease.address }, 'serving DHCPv6')
  return { close: () => socket.close() }
}
