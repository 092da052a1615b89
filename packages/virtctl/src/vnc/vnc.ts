import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createWebSocketStream } from 'ws'
import { CommandError } from '../command.ts'
import type { CommandContext, CommandDefinition, FlagValues } from '../command.ts'
import { subresourcePath } from '../client/subresource.ts'
import { findViewer } from './viewers.ts'

/** How long a viewer may take to connect, in milliseconds. */
const viewerTimeoutMs = 60_000

export const vnc: CommandDefinition = {
  name: 'vnc',
  arguments: [['vmi', 'name of the virtual machine instance']],
  summary: 'Open a vnc connection to a virtual machine instance.',
  examples: [
    ["Show the screen of 'testvmi':", 'vnc testvmi'],
    ['Only listen, for a viewer of your own:', 'vnc testvmi --proxy-only --port=5900'],
  ],
  flags: [
    { flags: '--proxy-only', help: 'only listen and print the port; no viewer is started', default: false },
    { flags: '--port <port>', help: 'port to listen on; 0 lets the system choose', default: 0, parse: portNumber },
    { flags: '--address <address>', help: 'address to listen on with --proxy-only', default: '127.0.0.1' },
    { flags: '--preserve-session', help: 'refuse to take over a session of somebody else', default: false },
    { flags: '--vnc-type <type>', help: 'viewer to use: tiger, chicken, real or remote-viewer' },
    { flags: '--vnc-path <file>', help: 'program of the viewer' },
  ],
  run: async (context, [vmi = ''], flags) => {
    const proxyOnly = flags['proxyOnly'] === true
    const viewer = proxyOnly
      ? undefined
      : findViewer(flags['vncType'] as string | undefined, flags['vncPath'] as string | undefined)
    const { client, namespace } = await context.cluster()
    const path = subresourcePath(namespace, 'virtualmachineinstances', vmi, 'vnc')
    const stream = await client
      .upgrade(path, {
        paused: true,
        signal: context.signal,
        query: { preserveSession: flags['preserveSession'] === true || undefined },
      })
      .catch((error: Error) => {
        throw new CommandError(`Can't access VMI ${vmi}: ${error.message}`)
      })
    const server = await listen(flags, proxyOnly)
    const { port } = server.address() as AddressInfo
    if (viewer) spawn(viewer.program, viewer.args(port), { stdio: 'ignore' }).once('error', () => server.close())
    else context.terminal.stdout.write(`${JSON.stringify({ port })}\n`)
    try {
      await join(createWebSocketStream(stream), await firstConnection(server, proxyOnly, context))
    } finally {
      stream.terminate()
      server.close()
    }
    return undefined
  },
}

function portNumber(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new CommandError(`--port: ${text} is not a port number`)
}

async function listen(flags: FlagValues, proxyOnly: boolean): Promise<Server> {
  const server = createServer({ allowHalfOpen: true })
  const host = proxyOnly ? (flags['address'] as string) : '127.0.0.1'
  server.listen({ host, port: flags['port'] as number })
  await once(server, 'listening').catch((error: Error) => {
    throw new CommandError(`can not listen on ${host}:${String(flags['port'])}: ${error.message}`)
  })
  return server
}

/** A viewer that was started here must come soon; somebody else's may take its time. */
async function firstConnection(server: Server, proxyOnly: boolean, { signal }: CommandContext): Promise<Socket> {
  const limit = proxyOnly ? signal : AbortSignal.any([signal, AbortSignal.timeout(viewerTimeoutMs)])
  const [socket] = (await once(server, 'connection', { signal: limit }).catch(() => {
    throw new CommandError(signal.aborted ? 'interrupted' : 'no viewer connected within 60 seconds')
  })) as [Socket]
  return socket
}

/** One ends, both end: a closed viewer is no failure. */
async function join(stream: ReturnType<typeof createWebSocketStream>, socket: Socket): Promise<void> {
  await Promise.allSettled([pipeline(stream, socket), pipeline(socket, stream)])
}
