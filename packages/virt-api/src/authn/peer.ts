import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** Reading a certificate costs more than the rest of who asks, and a connection serves many requests. */
const known = new WeakMap<Socket, string | undefined>()

/** The name in a client certificate that the front proxy's authority signed; undefined for anybody else. */
export function verifiedPeerName(socket: Socket): string | undefined {
  if (!known.has(socket)) known.set(socket, readName(socket))
  return known.get(socket)
}

function readName(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const name = socket.getPeerCertificate().subject?.CN
  return Array.isArray(name) ? name[0] : name
}
