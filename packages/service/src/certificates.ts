import { watch, type FSWatcher } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
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

/**
 * Reads the pair and follows replacements. The kubelet replaces a Secret's files by swapping one symbolic link, which
 * only the directory's watch sees; the poll is for what no notification tells (a bind mount, a missing directory).
 * A pair that does not fit together is a replacement half seen: the last good one stays.
 */
export async function watchCertificate(files: CertificateFiles): Promise<CertificateSource> {
  const source = new FileCertificateSource(files)
  await source.start()
  return source
}

/** A source that never changes. */
export function staticCertificate(certificate: Certificate): CertificateSource {
  return { current: () => certificate, onChange: () => () => undefined, close: () => undefined }
}

class FileCertificateSource implements CertificateSource {
  readonly #files: CertificateFiles
  readonly #listeners = new Set<() => void>()
  readonly #watchers = new Map<string, FSWatcher>()
  #timer: NodeJS.Timeout | undefined
  #certificate: Certificate | undefined
  #lastProblem = ''
  #reading = Promise.resolve()

  constructor(files: CertificateFiles) {
    this.#files = files
  }

  async start(): Promise<void> {
    await this.#refresh()
    this.#timer = setInterval(() => void this.#refresh(), this.#files.pollMs ?? 10_000)
    this.#timer.unref()
  }

  current(): Certificate | undefined {
    return this.#certificate
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    this.#listeners.clear()
  }

  /** One after the other, so that an older reading never replaces a newer one. */
  #refresh(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read())
    return this.#reading
  }

  async #read(): Promise<void> {
    this.#watchDirectories()
    try {
      const certificate = await readPair(this.#files)
      this.#lastProblem = ''
      if (isSame(certificate, this.#certificate)) return
      const first = this.#certificate === undefined
      this.#certificate = certificate
      this.#files.log.info({ file: this.#files.certFile }, first ? 'certificate loaded' : 'certificate replaced')
      for (const listener of this.#listeners) listener()
    } catch (error) {
      this.#report(error as Error)
    }
  }

  #report(error: Error): void {
    if (error.message === this.#lastProblem) return
    this.#lastProblem = error.message
    const kept =
      this.#certificate === undefined ? 'certificate not there yet' : 'new certificate unusable, old one kept'
    this.#files.log.warn({ file: this.#files.certFile, error }, kept)
  }

  #watchDirectories(): void {
    for (const file of [this.#files.certFile, this.#files.keyFile, this.#files.caFile]) {
      const directory = file === undefined ? undefined : dirname(file)
      if (directory === undefined || this.#watchers.has(directory)) continue
      const watcher = watchDirectory(directory, () => void this.#refresh())
      if (watcher === undefined) continue
      this.#watchers.set(directory, watcher)
      watcher.once('error', () => this.#watchers.delete(directory))
    }
  }
}

/** Undefined when the directory cannot be watched (it is not there, or there are too many watches): the poll remains. */
function watchDirectory(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(directory, { persistent: false }, onChange)
  } catch {
    return undefined
  }
}

async function readPair({ certFile, keyFile, caFile }: CertificateFiles): Promise<Certificate> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile, 'utf8'),
    readFile(keyFile, 'utf8'),
    caFile === undefined ? undefined : readFile(caFile, 'utf8'),
  ])
  // Throws when the key belongs to another certificate.
  createSecureContext({ cert, key })
  return ca === undefined ? { cert, key } : { cert, key, ca }
}

function isSame(a: Certificate, b: Certificate | undefined): boolean {
  return a.cert === b?.cert && a.key === b.key && a.ca === b.ca
}

export interface ServerTlsOptions extends SecureContextOptions {
  readonly requestCert?: boolean
  readonly rejectUnauthorized?: boolean
  readonly SNICallback: (servername: string, done: (error: Error | null, context?: SecureContext) => void) => void
}

/**
 * Options for `https.createServer` (fastify's `https`). Clients that name the server get the newest certificate with
 * each connection; for those that do not (the kubelet's probes), also call `keepServerCertificate`.
 * With `requireClientCertificate` only holders of a certificate that the source's ca signed get in.
 */
export function tlsOptionsFor(
  source: CertificateSource,
  { requireClientCertificate = false }: { readonly requireClientCertificate?: boolean } = {},
): ServerTlsOptions {
  let contextOf: Certificate | undefined
  let context: SecureContext | undefined
  return {
    ...source.current(),
    ...(requireClientCertificate ? { requestCert: true, rejectUnauthorized: true } : {}),
    SNICallback: (_, done) => {
      const certificate = source.current()
      if (certificate !== contextOf) {
        contextOf = certificate
        context = certificate === undefined ? undefined : createSecureContext(certificate)
      }
      done(null, context)
    },
  }
}

/** Hands each new certificate to a server; open connections keep theirs. The answer ends it. */
export function keepServerCertificate(
  server: { setSecureContext(options: SecureContextOptions): void },
  source: CertificateSource,
): () => void {
  return source.onChange(() => {
    const certificate = source.current()
    if (certificate !== undefined) server.setSecureContext(certificate)
  })
}
