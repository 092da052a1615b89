import type { IncomingMessage } from 'node:http'
import type { CertificateSource } from './certificates.ts'
import type { Logger } from './log.ts'
import type { Registry } from './metrics.ts'

export interface RouteReply {
  readonly status: number
  readonly body: string | Buffer
  readonly contentType?: string
}

export type RouteHandler = (request: IncomingMessage) => Promise<RouteReply> | RouteReply

export interface EndpointOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** With it https is spoken, else http. */
  readonly certificate?: CertificateSource
  readonly log: Logger
  /** Served under `/metrics`. */
  readonly metrics?: Registry
  /** By path; `/healthz` answers ok unless given. */
  readonly routes?: Readonly<Record<string, RouteHandler>>
}

export interface Endpoints {
  readonly port: number
  close(): Promise<void>
}

/** A small server for health, metrics and a few more paths. */
export async function serveEndpoints(options: EndpointOptions): Promise<Endpoints> {
  throw new Error(`not written yet: ${options.port}`)
}
