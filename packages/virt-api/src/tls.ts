import { createServer } from 'node:https'
import type { Server } from 'node:https'
import type { RequestListener } from 'node:http'
import type { SecureContextOptions, SecureVersion } from 'node:tls'
import type { TLSConfiguration } from '@kubevirt-ts/api'
import type { CertificateSource } from '@kubevirt-ts/service'
import { cipherList } from './tls-ciphers.ts'

export interface TlsParts {
  readonly certificate: CertificateSource
  /** PEM: authorities of clients that may be believed. */
  readonly clientCa: () => string | undefined
  readonly settings: () => TLSConfiguration | undefined
}

const versions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
}

/**
 * The API server gives up idle connections after 90 s. It must be first: an admission review that meets a closing
 * connection is not sent again, and the user's request fails.
 */
export const keepAliveMs = 120_000

/**
 * As much as servers written in Go take. The API server passes on longer addresses and headers than Node's servers take,
 * and tells a client of a broken connection when virt-api hangs up before it has sent them all.
 */
const headerBytes = 1024 * 1024

/** HTTP/1.1 alone: streams need its upgrades. */
export function createTlsServer(listener: RequestListener, parts: TlsParts): Server {
  const options = {
    ...secureContext(parts),
    ALPNProtocols: ['http/1.1'],
    maxHeaderSize: headerBytes,
    // A stream's client may end its side and still listen.
    allowHalfOpen: true,
    requestCert: true,
    // Certificates are verified if given; who may do what without one is decided for each request.
    rejectUnauthorized: false,
  }
  const server = createServer(options, listener)
  server.keepAliveTimeout = keepAliveMs
  return server
}

/** Takes the newest certificate, authorities and settings for new connections. */
export function renewTls(server: Server, parts: TlsParts): void {
  server.setSecureContext(secureContext(parts))
}

function secureContext({ certificate, clientCa, settings }: TlsParts): SecureContextOptions {
  const { cert, key } = certificate.current() ?? {}
  const { minTLSVersion, ciphers } = settings() ?? {}
  const ca = clientCa()
  const chosen = cipherList(ciphers)
  return {
    ...(cert && { cert }),
    ...(key && { key }),
    // Without authorities Node would take all that the world trusts.
    ca: ca ?? [],
    minVersion: versions[minTLSVersion ?? 'VersionTLS12'] ?? 'TLSv1.2',
    ...(chosen && { ciphers: chosen }),
  }
}
