import {
  keepServerCertificate,
  tlsOptionsFor,
  VirtError,
  type CertificateSource,
  type Logger,
} from '@kubevirt-ts/service'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ExtenderArgs, ExtenderBindingArgs } from './protocol.ts'
import type { StickyAnswers } from './sticky-answers.ts'

export interface ExtenderServerOptions {
  readonly host: string
  readonly port: number
  /** With the authority that signs the callers' certificates: to bind pods is not for everybody. */
  readonly certificate: CertificateSource
  readonly answers: StickyAnswers
  readonly log: Logger
}

export interface ExtenderServer {
  readonly port: number
  close(): Promise<void>
}

/** 5,000 whole nodes with their images have some tens of megabytes. */
const maxBodyBytes = 64 * 1024 * 1024

/** Serves `/filter`, `/prioritize` and `/bind` to holders of a client certificate. */
export async function serveExtender(options: ExtenderServerOptions): Promise<ExtenderServer> {
  const { certificate, host, port } = options
  if (certificate.current()?.ca === undefined) {
    throw new VirtError(
      'MissingClientCA',
      'an extender binds pods: give --client-ca-file, so that only the scheduler may ask',
    )
  }
  const tls = tlsOptionsFor(certificate, { requireClientCertificate: true })
  const server = https.createServer(tls, (request, response) => void answer(request, response, options))
  const release = keepServerCertificate(server, certificate)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      release()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeIdleConnections()
      await closed.promise
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ExtenderServerOptions,
): Promise<void> {
  const { answers, log } = options
  const path = (request.url ?? '/').split('?', 1)[0]!
  const [status, body] = await reply(path, request, answers).catch((error: unknown) => {
    log.error({ error, path }, 'request failed')
    return [500, { Error: (error as Error).message }] as const
  })
  request.resume()
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function reply(
  path: string,
  request: IncomingMessage,
  answers: StickyAnswers,
): Promise<readonly [number, unknown]> {
  if (request.method !== 'POST') return [405, { Error: 'only POST is answered' }]
  switch (path) {
    case '/filter':
      return [200, await answers.filter((await readJson(request)) as ExtenderArgs)]
    case '/prioritize':
      return [200, await answers.prioritize((await readJson(request)) as ExtenderArgs)]
    case '/bind':
      return [200, await answers.bind((await readJson(request)) as ExtenderBindingArgs)]
    default:
      return [404, { Error: 'no such path; there are /filter, /prioritize, /bind' }]
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Error(`the request is larger than ${maxBodyBytes} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}
