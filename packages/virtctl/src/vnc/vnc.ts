import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { joinLocally } from '../client/local-stream.ts'
import { endOf, mayComeBack, Patience } from '../client/stream-end.ts'
import { subresourcePath } from '../client/subresource.ts'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext, CommandDefinition, FlagValues } from '../command.ts'
import { Incoming } from './incoming.ts'
import { findViewer } from './viewers.ts'
import type { Viewer } from './viewers.ts'

/** How long a viewer may take to connect, and what is on the way to come back; in milliseconds. */
const viewerTimeoutMs = 60_000
const backTimeoutMs = 300_000
const retryMs = 1000

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
    const cluster = await context.cluster()
    const screen = { cluster, vmi, preserve: flags['preserveSession'] === true, context }
    const first = await open(screen).catch((error: Error) => {
      throw new CommandError(`Can't access VMI ${vmi}: ${error.message}`)
    })
    const server = await listen(flags, proxyOnly)
    const { port } = server.address() as AddressInfo
    if (proxyOnly) context.terminal.stdout.write(`${JSON.stringify({ port })}\n`)
    try {
      await show(first, server, screen, viewer)
    } finally {
      server.close()
    }
    return undefined
  },
}

interface Screen {
  readonly cluster: Cluster
  readonly vmi: string
  readonly preserve: boolean
  readonly context: CommandContext
}

const open = ({ cluster: { client, namespace }, vmi, preserve, context }: Screen): Promise<WebSocket> =>
  client.upgrade(subresourcePath(namespace, 'virtualmachineinstances', vmi, 'vnc'), {
    paused: true,
    signal: context.signal,
    query: { preserveSession: preserve || undefined },
  })

/**
 * Joins a viewer with the screen. VNC can not go on in the middle: when what is between them restarts while the guest
 * runs, a viewer is started anew, or one of somebody else's may connect again.
 */
async function show(first: WebSocket, server: Server, screen: Screen, viewer: Viewer | undefined): Promise<void> {
  const { context, cluster, vmi } = screen
  const { stderr } = context.terminal
  const patience = new Patience()
  const viewers = new Incoming(server)
  for (let stream = first; ; stream = await reopened(screen)) {
    patience.begins()
    const ending = endOf(stream)
    const program = viewer && start(viewer, server)
    const socket = await nextViewer(viewers, viewer === undefined, context).catch((error: Error) => {
      stream.terminate()
      throw error
    })
    const closedHere = await joinLocally(stream, socket, context.signal)
    if (closedHere || context.signal.aborted) return
    const end = await ending
    if (end === 'taken') stderr.write('Another user opened the screen.\n')
    if (end !== 'lost' || !patience.lasts() || !(await mayComeBack(cluster, vmi))) return
    program?.kill()
    stderr.write('The connection to the screen was lost; the VM still runs. Connecting again, Ctrl+C gives up.\n')
  }
}

function start(viewer: Viewer, server: Server) {
  const { port } = server.address() as AddressInfo
  return spawn(viewer.program, viewer.args(port), { stdio: 'ignore' }).once('error', () => server.close())
}

async function reopened(screen: Screen): Promise<WebSocket> {
  const { signal, terminal } = screen.context
  const deadline = Date.now() + backTimeoutMs
  for (;;) {
    try {
      const stream = await open(screen)
      terminal.stderr.write('Connected again.\n')
      return stream
    } catch (error) {
      if (Date.now() > deadline) throw new CommandError(`Can't access VMI ${screen.vmi}: ${(error as Error).message}`)
      await delay(retryMs, undefined, { signal })
    }
  }
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
function nextViewer(viewers: Incoming, anyTime: boolean, { signal }: CommandContext): Promise<Socket> {
  const limit = anyTime ? signal : AbortSignal.any([signal, AbortSignal.timeout(viewerTimeoutMs)])
  return viewers.next(limit).catch(() => {
    throw new CommandError(signal.aborted ? 'interrupted' : 'no viewer connected within 60 seconds')
  })
}
