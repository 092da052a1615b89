import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Lister } from '@kubevirt-ts/controller'
import { type CertificateSource, keepServerCertificate, type Logger, tlsOptionsFor } from '@kubevirt-ts/service'
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { WebSocketServer } from 'ws'
import type { LauncherClients } from '../launcher-clients/launcher-clients.ts'
import { calls } from './calls.ts'
import { refusal, type Reply } from './reply.ts'
import { parseRoute, type Route } from './route.ts'
import { Sessions } from './sessions.ts'
import { lastScreen } from './last-screen.ts'
import { connectDevice, join, streams, type Device } from './streams.ts'
import { connectService, serviceOf, type VsockOptions } from './vsock.ts'

export interface ConsoleServerOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** With the bundle that signs the clients. */
  readonly certificate: CertificateSource
  readonly vmis: Lister<VirtualMachineInstance>
  readonly launchers: Pick<LauncherClients, 'get' | 'podUid'>
  /** The kubelet's pods folder as this process sees it. */
  readonly podsFolder: string
  readonly vsock: VsockOptions
  readonly log: Logger
}

export interface ConsoleServer {
  readonly port: number
  /** Ends the sessions; no guest notices. */
  close(): Promise<void>
}

/** The only caller that is let in: virt-api. */
const clientName = 'kubevirt.io:system:client:virt-handler'
const subprotocol = 'plain.kubevirt.io'
// Nothing a keyboard or a pointer sends comes near; a larger frame is a mistake or an attack.
const maxFrameBytes = 4 * 1024 * 1024
const maxBodyBytes = 1024 * 1024

/** Serves to virt-api what only this node can give: the guest's console and screen, and calls to its launcher. */
export async function serveConsoles(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const { host, port, certificate, log } = options
  const sessions = new Sessions()
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  })
  const server = createServer(tlsOptionsFor(certificate, { requireClientCertificate: true }))
  const release = keepServerCertificate(server, certificate)
  server.on('request', (request, response) => {
    void answer(options, request)
      .catch((error: unknown) => failed(log, request, error))
      .then(({ status, body, contentType }) => {
        response.writeHead(status, { 'content-type': contentType }).end(body)
      })
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    void openStream(options, sessions, request)
      .catch((error: unknown) => failed(log, request, error))
      .then((stream) => {
        if ('status' in stream) return refuse(socket, stream)
        let isTaken = false
        webSockets.handleUpgrade(request, socket, head, (webSocket) => {
          isTaken = true
          sessions.take(stream.device, webSocket)
          if (stream.replay.length > 0) webSocket.send(stream.replay)
          join(webSocket, stream.connection)
        })
        // Whoever has gone in the meantime, or did not ask for a WebSocket, leaves nothing open.
        if (!isTaken) stream.connection.socket.destroy()
      })
  })
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      release()
      sessions.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface OpenStream {
  /** Which device of which guest. */
  readonly device: string
  readonly connection: Device
  /** What is shown before anything new comes. */
  readonly replay: Buffer
}

async function openStream(
  options: ConsoleServerOptions,
  sessions: Sessions,
  request: IncomingMessage,
): Promise<OpenStream | Reply> {
  const found = find(options, request)
  if ('status' in found) return found
  const { vmi, route } = found
  const { subresource } = route
  const uid = vmi.metadata.uid ?? ''
  if (subresource === 'vsock') return openService(options, found)
  const names = Object.hasOwn(streams, subresource) ? streams[subresource]! : []
  if (names.length === 0) return refusal(404, `there is no stream ${subresource}`)
  const free = names.filter((name) => !sessions.has(`${uid}/${name}`))
  if (free.length === 0 && names.length > 1) return refusal(503, 'All USB devices are in use.')
  if (free.length === 0 && route.query.get('preserveSession') === 'true')
    return refusal(503, `Active ${subresource.toUpperCase()} connection. Request denied.`)
  const name = free[0] ?? names[0]!
  const podUid = options.launchers.podUid(uid)
  if (podUid === undefined) return refusal(500, `no launcher of ${title(route)} is on this node`)
  const wantsReplay = subresource === 'console' && route.query.get('replay') === 'true'
  const replay = wantsReplay ? lastScreen(options.podsFolder, podUid, uid) : Buffer.alloc(0)
  const connection = await connectDevice(options.podsFolder, podUid, uid, name)
  if (connection === undefined) return refusal(400, `${title(route)} has no ${subresource}`)
  return { device: `${uid}/${name}`, connection, replay }
}

/** A guest's service has as many streams as are asked for. */
async function openService({ vsock }: ConsoleServerOptions, { vmi, route }: Found): Promise<OpenStream | Reply> {
  const service = serviceOf(vmi, route.query)
  if ('status' in service) return service
  const connection = await connectService(vsock, service)
  if ('status' in connection) return connection
  return { device: `${vmi.metadata.uid}/vsock/${randomUUID()}`, connection, replay: Buffer.alloc(0) }
}

async function answer(options: ConsoleServerOptions, request: IncomingMessage): Promise<Reply> {
  const found = find(options, request)
  if ('status' in found) return found
  const { vmi, route } = found
  const call = calls[`${request.method} ${route.subresource}`]
  if (call === undefined) return refusal(404, `there is no subresource ${route.subresource} for ${request.method}`)
  const launcher = options.launchers.get(vmi.metadata.uid ?? '')
  if (launcher === undefined) return refusal(500, `no launcher of ${title(route)} answers on this node`)
  return call(launcher, vmi, await bodyOf(request))
}

/** A request's body is a few words at most. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += (chunk as Buffer).length
    if (length > maxBodyBytes) throw new Error(`the body is longer than ${maxBodyBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}

interface Found {
  readonly vmi: VirtualMachineInstance
  readonly route: Route
}

/** Who calls, then what for. */
function find({ vmis }: ConsoleServerOptions, request: IncomingMessage): Found | Reply {
  const peer = (request.socket as TLSSocket).getPeerCertificate()
  if (peer.subject?.CN !== clientName) return refusal(401, 'this client certificate is not allowed to talk to guests')
  const route = parseRoute(request.url ?? '')
  if (route === undefined) return refusal(404, 'no such path')
  const vmi = vmis.get(`${route.namespace}/${route.name}`)
  if (vmi === undefined) return refusal(404, `VirtualMachineInstance ${title(route)} is not on this node`)
  if (vmi.status?.phase !== 'Running') return refusal(409, `VirtualMachineInstance ${title(route)} is not running`)
  return { vmi, route }
}

const title = ({ namespace, name }: Route): string => `${namespace}/${name}`

function failed(log: Logger, request: IncomingMessage, error: unknown): Reply {
  log.error({ error, path: request.url }, 'a request failed')
  return refusal(500, (error as Error).message)
}

// An `import` of node:http would read all its exports, among them a WebSocket that costs 5 MiB.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

function refuse(socket: Duplex, { status, body, contentType }: Reply): void {
  const headers = [`content-type: ${contentType}`, `content-length: ${Buffer.byteLength(body)}`, 'connection: close']
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${body.toString()}`)
}

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
