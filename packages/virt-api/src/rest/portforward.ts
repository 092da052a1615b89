import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { StatusError } from '../status-error.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchVm, fetchVmi, vmiKind } from './subjects.ts'
import { streamProtocol } from './virt-handler.ts'
import { hasCondition } from './vm-state.ts'

export interface Forward {
  readonly resource: string
  readonly target: Target
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
}

const pingMs = 1000
const silenceMs = 60_000
const dialMs = 10_000

/** `portforward/<port>` or `portforward/<port>/<tcp|udp>`; undefined for anything else. */
export function parseForward(resource: string, target: Target, subresource: string): Forward | undefined {
  const [, port, protocol = 'tcp'] = /^portforward\/(\d{1,5})(?:\/(tcp|udp))?$/.exec(subresource) ?? []
  const number = Number(port)
  if (port === undefined || number < 1 || number > 65_535) return undefined
  return { resource, target, port: number, protocol: protocol as Forward['protocol'] }
}

/** The guest to connect to. Throws when it has no network to be reached by. */
export async function forwardAddress(
  { client }: RestParts,
  { resource, target }: Pick<Forward, 'resource' | 'target'>,
): Promise<string> {
  if (resource === 'virtualmachines') {
    const vm = await fetchVm(client, target)
    if (!vm.status?.created) throw conflict('virtualmachine', target.name, 'VMI is not started')
    const vmi = await fetchVmi(client, target)
    const owner = vmi.metadata.ownerReferences?.find((each) => each.controller)
    if (owner?.uid === vm.metadata.uid) return addressOf(vmi)
    throw new StatusError(500, `Internal error occurred: VMI ${target.name} does not belong to the VM of that name`)
  }
  return addressOf(await fetchVmi(client, target))
}

function addressOf(vmi: VirtualMachineInstance): string {
  if (hasCondition(vmi, 'Paused')) throw conflict(vmiKind, vmi.metadata.name, 'VMI is paused')
  const address = vmi.status?.interfaces?.[0]?.ipAddress
  // Guests report their addresses; only what is one is dialled.
  if (address && isIP(address) !== 0) return address
  throw new StatusError(400, 'no network interfaces are present', { kind: vmiKind, name: vmi.metadata.name })
}

const upgrades = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  handleProtocols: (offered) => (offered.has(streamProtocol) ? streamProtocol : false),
})

/** Dials the guest, then upgrades the client and carries bytes or datagrams until either side ends. */
export async function forward(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  address: string,
  { port, protocol }: Forward,
  opened: () => () => void,
): Promise<void> {
  const join = protocol === 'tcp' ? await dialTcp(address, port) : await dialUdp(address, port)
  upgrades.handleUpgrade(request, client, head, (socket) => {
    watchSilence(socket)
    socket.once('close', opened())
    join(socket)
  })
}

type Join = (socket: WebSocket) => void

const dialing = (cause: unknown) =>
  new StatusError(500, `Internal error occurred: dialing VM: ${(cause as Error).message}`, { cause })

async function dialTcp(host: string, port: number): Promise<Join> {
  const guest = connect({ host, port, noDelay: true, timeout: dialMs, allowHalfOpen: true })
  guest.once('timeout', () => guest.destroy(new Error(`${host}:${port} does not answer`)))
  try {
    await once(guest, 'connect')
  } catch (error) {
    throw dialing(error)
  }
  guest.setTimeout(0)
  return (socket) => {
    const stream = createWebSocketStream(socket)
    stream.pipe(guest)
    guest.pipe(stream)
    for (const [from, to] of [
      [stream, guest],
      [guest, stream],
    ] as const) {
      from.on('error', () => from.destroy())
      from.once('close', () => {
        if (!from.readableEnded) to.destroy()
      })
    }
  }
}

/** Each message is one datagram. */
async function dialUdp(host: string, port: number): Promise<Join> {
  const guest = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4')
  try {
    guest.connect(port, host)
    await once(guest, 'connect')
  } catch (error) {
    guest.close()
    throw dialing(error)
  }
  return (socket) => {
    guest.on('message', (datagram) => socket.send(datagram))
    guest.on('error', () => socket.close())
    socket.on('message', (data) => guest.send(data as Buffer))
    socket.once('close', () => guest.close())
  }
}

/** A client that answers no ping for a minute is gone. */
function watchSilence(socket: WebSocket): void {
  let heard = Date.now()
  socket.on('pong', () => (heard = Date.now()))
  socket.on('error', () => socket.terminate())
  const timer = setInterval(() => {
    if (Date.now() - heard > silenceMs) socket.terminate()
    else socket.ping()
  }, pingMs)
  socket.once('close', () => clearInterval(timer))
}
