import type { SecureContext } from 'node:tls'
import type { Server } from 'node:tls'
import type { Logger } from './log.ts'

/** A leaf with its key and, where the files name one, the bundle of authorities to trust; all PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  readonly ca?: string
}

/** A certificate that may be replaced at any moment. `current` is undefined until the first valid pair is there. */
export interface CertificateSource {
  current(): Certificate | undefined
  /** Calls the listener after each replacement; the answer ends it. */
  onChange(listener: () => void): () => void
  close(): void
}

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly caFile?: string
  readonly log: Logger
  /** How often the files are compared without a notification, in milliseconds; 10 s unless told. */
  readonly pollMs?: number
}

export interface ServerTlsOptions {
  readonly cert?: string
  readonly key?: string
  readonly ca?: string
  readonly requestCert?: boolean
  readonly rejectUnauthorized?: boolean
  readonly SNICallback: (servername: string, done: (error: Error | null, context?: SecureContext) => void) => void
}

/** Reads the pair and follows replacements, those by the kubelet's symbolic links too. */
export async function watchCertificate(files: CertificateFiles): Promise<CertificateSource> {
  throw new Error(`not written yet: ${files.certFile}`)
}

/** A source that never changes. */
export function staticCertificate(certificate: Certificate): CertificateSource {
  return { current: () => certificate, onChange: () => () => undefined, close: () => undefined }
}

/** Options for `https.createServer` (fastify's `https`). With `requireClientCertificate` only holders of a leaf of the source's ca get in. */
export function tlsOptionsFor(
  source: CertificateSource,
  options: { readonly requireClientCertificate?: boolean } = {},
): ServerTlsOptions {
  void options
  void source
  throw new Error('not written yet')
}

/** Hands each new certificate to a listening server; needed for clients that send no server name. The answer ends it. */
export function keepServerCertificate(server: Pick<Server, 'setSecureContext'>, source: CertificateSource): () => void {
  void server
  return source.onChange(() => undefined)
}
