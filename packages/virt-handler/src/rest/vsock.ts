import { truthOf, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { CertificateSource } from '@kubevirt-ts/service'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import type { DialVsock } from '../host/vsock.ts'
import { refusal, type Reply } from './reply.ts'
import type { Device } from './streams.ts'

export interface VsockOptions {
  readonly dial: DialVsock
  /** What is shown to a guest that is talked to over TLS. */
  readonly certificate: CertificateSource
}

/** A service of a guest that listens on a VSOCK port. */
export interface Service {
  readonly cid: number
  readonly port: number
  readonly tls: boolean
}

const highestPort = 2 ** 32 - 1
/** virt-api waits 10 s in all, and the connection may have taken 5 s. */
const handshakeMs = 3_000

/** Which service is asked for; a refusal when there can be none. */
export function serviceOf({ metadata, status }: VirtualMachineInstance, query: URLSearchParams): Service | Reply {
  const port = query.get('port') ?? ''
  const word = query.get('tls') || 'true'
  const tls = truthOf(word)
  const cid = status?.VSOCKCID
  if (cid === undefined) return refusal(400, `${metadata.namespace}/${metadata.name} has no VSOCK CID`)
  if (!/^\d{1,10}$/.test(port) || Number(port) < 1 || Number(port) > highestPort)
    return refusal(400, `port must be a number from 1 to ${highestPort}, not "${port}"`)
  if (tls === undefined) return refusal(400, `tls must be true or false, not "${word}"`)
  return { cid, port: Number(port), tls }
}

/** Connects to the service; a refusal says why that was not possible. */
export async function connectService(options: VsockOptions, { cid, port, tls }: Service): Promise<Device | Reply> {
  try {
    if (tls && options.certificate.current() === undefined)
      throw new Error('the certificate for VSOCK is not there yet')
    const plain = await options.dial(cid, port)
    return deviceOf(tls ? await encrypted(plain, options.certificate) : plain)
  } catch (error) {
    return refusal(500, `dialing VSOCK: CID ${cid}, port ${port}: ${(error as Error).message}`)
  }
}

/** Guests sign their own certificates, so any will do: the hypervisor says who it is. The guest is shown who calls. */
async function encrypted(plain: Duplex, certificate: CertificateSource): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ ...certificate.current(), rejectUnauthorized: false, socket: plain }, resolve)
  const timer = setTimeout(
    () => socket.destroy(new Error(`no TLS handshake within ${handshakeMs / 1000} s`)),
    handshakeMs,
  )
  socket.on('error', reject)
  socket.once('close', () => {
    plain.destroy()
    reject(new Error('the guest ended the TLS handshake'))
  })
  try {
    await promise
    return socket
  } finally {
    clearTimeout(timer)
  }
}

function deviceOf(socket: Duplex): Device {
  return {
    socket,
    read(sink) {
      socket.on('data', (bytes: Buffer) => {
        if (!sink(bytes)) socket.pause()
      })
    },
  }
}
