import koffi from 'koffi'
import { library, type Pointer } from './library.ts'

/** Codes of libvirt's errors that callers decide by (virterror.h). */
export const errorCode = {
  internal: 1,
  operationFailed: 9,
  noDomain: 42,
  operationInvalid: 55,
  noDomainMetadata: 80,
  agentUnresponsive: 86,
  configUnsupported: 67,
  deviceMissing: 99,
} as const

/** A failed libvirt call, in libvirt's words. */
export class LibvirtError extends Error {
  /** virErrorNumber; see `errorCode`. 0 when libvirt gave no error. */
  readonly code: number
  /** virErrorDomain: the part of libvirt that failed. */
  readonly domain: number
  constructor(call: string, { code, domain, message }: ErrorHead) {
    super(`${call}: ${message ?? 'libvirt gave no reason'}`)
    this.name = 'LibvirtError'
    this.code = code
    this.domain = domain
  }
}

export function isLibvirtError(error: unknown, code: number): boolean {
  return error instanceof LibvirtError && error.code === code
}

type ErrorHead = { readonly code: number; readonly domain: number; readonly message: string | null }
const none: ErrorHead = { code: 0, domain: 0, message: null }

let latest = none
let listening = false

/**
 * Takes libvirt's errors from now on, instead of having them printed. libvirt keeps the last error per thread, and a
 * call that ran on another thread took it along; so what has no connection to ask is remembered here.
 */
export function collectErrors(): void {
  if (listening) return
  listening = true
  const { setErrorFunc, prototypes, error } = library()
  const remember = koffi.register((_: unknown, pointer: Pointer) => {
    latest = pointer ? (koffi.decode(pointer, error) as ErrorHead) : none
  }, prototypes.error)
  setErrorFunc(null, remember)
}

/** The error of the last `virConnectOpen`, of which there is one at a time. */
export function openError(uri: string): LibvirtError {
  return new LibvirtError(`connecting to ${uri}`, latest)
}

/** The error of the last call on a connection, of which there is one at a time. */
export function callError(call: string, connection: Pointer): LibvirtError {
  const { connectionError, error } = library()
  const pointer: unknown = connectionError(connection)
  return new LibvirtError(call, pointer ? (koffi.decode(pointer, error) as ErrorHead) : none)
}
