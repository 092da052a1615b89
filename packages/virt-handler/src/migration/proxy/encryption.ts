import type { CertificateSource } from '@kubevirt-ts/service'
import { VirtError } from '@kubevirt-ts/service'
import { connect as connectPlain, createServer as createPlainServer, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'

/** How node agents talk about a guest on its way. */
export interface Encryption {
  /** Own certificate, for both sides of a conversation, with the bundle that signs the peers'. */
  readonly certificate: CertificateSource
  /** Roles that a peer's certificate may name, such as `migration`. */
  readonly roles: readonly string[]
  /** Certificates of others may have any name. */
  readonly externallyManaged: boolean
}

/** A server that hands on the sockets of proven peers; without encryption, of everybody. */
export function listenerFor(encryption: Encryption | undefined, onPeer: (socket: Socket) => void): Server {
  if (encryption === undefined) return createPlainServer(onPeer)
  const server = createTlsServer({ ...credentials(encryption), requestCert: true, rejectUnauthorized: true })
  server.on('secureConnection', (socket) => {
    if (isPeer(socket, encryption)) onPeer(socket)
    else socket.destroy()
  })
  // A stranger who does not get in is no error of ours.
  server.on('tlsClientError', () => undefined)
  return server
}

/** A connection to the other node's agent; resolves when the peer is proven. */
export async function dial(host: string, port: number, encryption: Encryption | undefined): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  if (encryption === undefined) {
    const socket: Socket = connectPlain({ host, port }, () => resolve(socket))
    socket.once('error', reject)
    return promise
  }
  // Nodes are known by their certificate's name, not by an address.
  const options = { ...credentials(encryption), host, port, checkServerIdentity: () => undefined }
  const socket: TLSSocket = connectTls(options, () => {
    if (isPeer(socket, encryption)) return resolve(socket)
    const name = nameOf(socket)
    socket.destroy()
    reject(new VirtError('MigrationPeerRefused', `${host}:${port} answers as ${name}, which is no node agent`))
  })
  socket.once('error', reject)
  return promise
}

function credentials({ certificate }: Encryption): { cert: string; key: string; ca: string | undefined } {
  const current = certificate.current()
  if (current === undefined)
    throw new VirtError('MigrationCertificateMissing', 'the certificate for migrations is not there yet')
  return { cert: current.cert, key: current.key, ca: current.ca }
}

function isPeer(socket: TLSSocket, { roles, externallyManaged }: Encryption): boolean {
  if (!socket.authorized) return false
  const name = nameOf(socket)
  return (
    externallyManaged ||
    roles.some((role) => name === `kubevirt.io:system:client:${role}` || name === `kubevirt.io:system:node:${role}`)
  )
}

/** A peer that has hung up shows no certificate any more. */
function nameOf(socket: TLSSocket): string {
  const certificate = socket.getPeerCertificate() as ReturnType<TLSSocket['getPeerCertificate']> | null
  return String(certificate?.subject?.CN)
}
