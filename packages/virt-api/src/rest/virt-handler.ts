import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { pods } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { CertificateSource } from '@kubevirt-ts/service'
import { StatusError } from '../status-error.ts'
import { askUpgrade } from './handler-socket.ts'
import type { UpgradedSocket } from './handler-socket.ts'
import { vmiKind } from './subjects.ts'

export interface VirtHandlerOptions {
  readonly client: KubeClient
  /** Namespace that virt-handler's pods are in. */
  readonly namespace: string
  readonly port: number
  /** The client certificate to show, and the authorities to trust. */
  readonly certificate: CertificateSource
}

export interface HandlerAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Buffer
}

export interface HandlerStream extends Pick<UpgradedSocket, 'socket' | 'read'> {
  readonly accept: string
}

/** Asks the virt-handler of the node that a guest runs on. */
export interface VirtHandler {
  call(vmi: VirtualMachineInstance, method: string, subresource: string, body?: Buffer): Promise<HandlerAnswer>
  /** Opens a WebSocket with the client's key, so that the client can check the answer itself. */
  stream(vmi: VirtualMachineInstance, subresource: string, query: string, key: string): Promise<HandlerStream>
}

const timeoutMs = 10_000
/** virt-handler gives the guest's agent nearly a minute for these; the API server gives up after a whole one. */
const agentTimeoutMs = 58_000
const agentCalls: ReadonlySet<string> = new Set(['freeze', 'unfreeze'])
const answerMs = (subresource: string): number => (agentCalls.has(subresource) ? agentTimeoutMs : timeoutMs)
const serverName = 'kubevirt.io:system:node:virt-handler'
/** The subprotocol of all streams. */
export const streamProtocol = 'plain.kubevirt.io'

export function createVirtHandler(options: VirtHandlerOptions): VirtHandler {
  const optionsFor = async (vmi: VirtualMachineInstance, method: string, subresource: string, query = '') => {
    const host = await handlerAddress(options, vmi)
    const { namespace, name } = vmi.metadata
    const path = `/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}${query}`
    return { ...tlsOptions(options.certificate), host, port: options.port, path, method }
  }
  return {
    call: async (vmi, method, subresource, body) =>
      send({ ...(await optionsFor(vmi, method, subresource)), timeout: answerMs(subresource) }, body),
    stream: async (vmi, subresource, query, key) => upgrade(await optionsFor(vmi, 'GET', subresource, query), key),
  }
}

/** virt-handlers are known by a name in their certificate, not by their address. */
function tlsOptions(source: CertificateSource): RequestOptions {
  const certificate = source.current()
  if (!certificate) throw new StatusError(503, 'virt-api has no certificate for virt-handler yet; try again')
  return {
    ...certificate,
    servername: '',
    agent: false,
    checkServerIdentity: (_, { subject }) =>
      subject?.CN === serverName ? undefined : new Error(`the server is ${String(subject?.CN)}, not ${serverName}`),
  }
}

async function handlerAddress({ client, namespace }: VirtHandlerOptions, vmi: VirtualMachineInstance): Promise<string> {
  const phase = vmi.status?.phase ?? ''
  const { name } = vmi.metadata
  if (phase !== 'Running' && phase !== 'Scheduled') {
    const message = `Unable to connect to VirtualMachineInstance because phase is ${phase} instead of Running or Scheduled`
    throw new StatusError(400, message, { kind: vmiKind, name })
  }
  const node = vmi.status?.nodeName
  const found = await client.list(pods, {
    namespace,
    labelSelector: 'kubevirt.io=virt-handler',
    fieldSelector: `spec.nodeName=${node}`,
  })
  const address = found.items.find((pod) => pod.status?.podIP && !pod.metadata.deletionTimestamp)?.status?.podIP
  if (address) return address
  throw new StatusError(500, `Internal error occurred: no virt-handler runs on node ${node} of ${name}`, {
    kind: vmiKind,
    name,
  })
}

function send(options: RequestOptions, body: Buffer | undefined): Promise<HandlerAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HandlerAnswer>()
  const outgoing = request(options, (answer) => {
    read(answer).then(resolve, reject)
  })
  outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${options.timeout! / 1000} s`)))
  outgoing.once('error', (error) => reject(unreachable(options, error)))
  outgoing.end(body)
  return promise
}

async function read(answer: IncomingMessage): Promise<HandlerAnswer> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, contentType: answer.headers['content-type'], body: Buffer.concat(chunks) }
}

async function upgrade(options: RequestOptions, key: string): Promise<HandlerStream> {
  const { host, port, path, agent: _, method: __, ...tls } = options
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${isIP(host!) === 6 ? `[${host}]` : host}:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Protocol: ${streamProtocol}`,
  ]
  const to = { ...tls, host: host!, port: Number(port) } as ConnectionOptions
  const answer = await askUpgrade(to, `${lines.join('\r\n')}\r\n\r\n`, timeoutMs).catch((error: Error) => {
    throw unreachable(options, error)
  })
  if ('body' in answer) throw refusedStream(answer.head.status, answer.body)
  const { socket, head, read } = answer
  return { socket, read, accept: head.headers.get('sec-websocket-accept') ?? '' }
}

const unreachable = ({ host, port }: RequestOptions, cause: Error) =>
  new StatusError(
    500,
    `Internal error occurred: virt-handler at ${host}:${port} can not be reached: ${cause.message}`,
    { cause },
  )

/** virt-handler's refusal (no such socket, an active session, …) in its own words. */
const refusedStream = (status: number, body: Buffer) =>
  new StatusError(status >= 400 ? status : 500, body.toString().trim() || `virt-handler answered ${status}`)
