import { createSocket } from 'node:dgram'
import type { RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createWebSocketStream } from 'ws'
import type { WebSocket } from 'ws'
import { told } from '../client/told.ts'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext, CommandDefinition } from '../command.ts'
import { subresourcePath } from '../client/subresource.ts'
import { parsePort, parseTarget, placed } from './target.ts'
import type { ForwardedPort, ForwardTarget } from './target.ts'

/** Opens one connection to the guest. */
type Open = (port: ForwardedPort) => Promise<WebSocket>

export const portForward: CommandDefinition = {
  name: 'port-forward',
  arguments: [
    ['target', 'kind/name[/namespace], such as vm/myvm'],
    ['ports...', '[protocol/]local[:target], such as 8080:80 or udp/5353'],
  ],
  summary: 'Forward local ports to a virtual machine or virtual machine instance.',
  examples: [
    ["Forward the local port 8080 to port 80 of 'myvm':", 'port-forward vm/myvm 8080:80'],
    ['Forward UDP:', 'port-forward vmi/myvmi/mynamespace udp/5353'],
    ['Speak to one port through standard input and output:', 'port-forward --stdio=true vm/myvm 22'],
  ],
  flags: [
    { flags: '--address <address>', help: 'address to listen on', default: '127.0.0.1' },
    { flags: '--stdio', help: 'use standard input and output instead of a local port; takes one port', default: false },
  ],
  run: async (context, [target = '', ...ports], flags) => {
    const parsed = ports.map(parsePort)
    const parsedTarget = parseTarget(target)
    const onlyPort = flags['stdio'] === true ? theOnly(parsed) : undefined
    const cluster = await context.cluster()
    const open = opener(cluster, await placed(parsedTarget, cluster, context), context)
    if (onlyPort) return throughStdio(open, onlyPort, context)
    const address = flags['address'] as string
    await Promise.all(
      parsed.map((port) => (port.protocol === 'tcp' ? listenTcp : listenUdp)(open, port, address, target, context)),
    )
    await ended(context.signal)
    return undefined
  },
}

function opener(
  { client }: Cluster,
  { resource, name, namespace }: ForwardTarget & { readonly namespace: string },
  { signal }: CommandContext,
): Open {
  return ({ target: port, protocol }) => {
    const path = subresourcePath(namespace, resource, name, `portforward/${port}/${protocol}`)
    return client.upgrade(path, { paused: true, signal })
  }
}

function theOnly([port, ...others]: readonly ForwardedPort[]): ForwardedPort {
  if (port && others.length === 0) return port
  throw new CommandError('only one port supported when forwarding to stdout')
}

async function throughStdio(open: Open, port: ForwardedPort, { terminal, signal }: CommandContext): Promise<undefined> {
  const stream = createWebSocketStream(await refused(open(port)))
  terminal.stdin.pipe(stream)
  stream.pipe(terminal.stdout, { end: false })
  // The guest's end is the end: what standard input still holds has nowhere to go.
  const interrupted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await Promise.race([once(stream, 'end'), once(stream, 'close'), interrupted])
  terminal.stdin.unpipe(stream).pause()
  stream.destroy()
  return undefined
}

const refused = (opening: Promise<WebSocket>) =>
  opening.catch((error: Error) => {
    throw new CommandError(`can't access the port: ${error.message}`)
  })

async function listenTcp(
  open: Open,
  port: ForwardedPort,
  address: string,
  target: string,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (local) => {
    carry(open, port, local).catch((error: Error) => {
      local.destroy()
      terminal.stderr.write(`error handling connection for ${port.local}: ${told(error)}\n`)
    })
  })
  server.listen({ host: address, port: port.local })
  await once(server, 'listening').catch((error: Error) => {
    throw new CommandError(`can not listen on ${address}:${port.local}: ${error.message}`)
  })
  signal.addEventListener('abort', () => server.close(), { once: true })
  const { port: local } = server.address() as AddressInfo
  terminal.stderr.write(`forwarding tcp ${address}:${local} to ${target}:${port.target}\n`)
}

async function carry(open: Open, port: ForwardedPort, local: Socket): Promise<void> {
  const stream = createWebSocketStream(await open(port))
  // When the guest's last is written, nobody hears a client that does not hang up in its turn.
  const forth = pipeline(stream, local).then(() => void local.destroy())
  await Promise.allSettled([forth, pipeline(local, stream)])
}

/** Each local sender gets a stream of its own, in which a message is a datagram. */
async function listenUdp(
  open: Open,
  port: ForwardedPort,
  address: string,
  target: string,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const local = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const streams = new Map<string, Promise<WebSocket>>()
  const streamOf = (from: RemoteInfo) => {
    const key = `${from.address}:${from.port}`
    const known = streams.get(key)
    if (known) return known
    const opening = open(port).then((stream) => {
      stream.on('message', (data) => local.send(data as Buffer, from.port, from.address))
      stream.once('close', () => streams.delete(key))
      stream.resume()
      return stream
    })
    streams.set(key, opening)
    return opening
  }
  local.on('message', (datagram, from) => {
    streamOf(from).then(
      (stream) => stream.send(datagram),
      (error: Error) => {
        streams.delete(`${from.address}:${from.port}`)
        terminal.stderr.write(`error handling datagram for ${port.local}: ${told(error)}\n`)
      },
    )
  })
  local.bind(port.local, address)
  await once(local, 'listening')
  signal.addEventListener('abort', () => local.close(), { once: true })
  terminal.stderr.write(`forwarding udp ${address}:${local.address().port} to ${target}:${port.target}\n`)
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
