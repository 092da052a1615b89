import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** The name in a client certificate that the front proxy's authority signed; undefined for anybody else. */
export function verifiedPeerName(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const name = socket.getPeerCertificate().subject?.CN
  return Array.isArray(name) ? name[0] : name
}
