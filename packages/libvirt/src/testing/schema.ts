import koffi from 'koffi'
import { collectErrors } from '../error.ts'
import { library, type Pointer } from '../library.ts'
import { forgetNativeTypes } from './native-types.ts'

const refusedBySchema = 92
const validate = 1

export type Schema = {
  /** What libvirt's schema for domains says against it; undefined when nothing. Whether a host could run it does not count. */
  refusal(xml: string): string | undefined
  close(): void
}

/** The schema that comes with libvirt's client library, as its own test driver asks it. */
export function domainSchema(): Schema {
  forgetNativeTypes()
  collectErrors()
  const lib = koffi.load('libvirt.so.0')
  const { open, close, free, connectionError, error: errorHead } = library()
  const define = lib.func('virDomain *virDomainDefineXMLFlags(virConnect *conn, const char *xml, unsigned int flags)')
  const connection = open('test:///default') as Pointer
  return {
    refusal(xml) {
      const domain = define(connection, xml, validate) as Pointer
      if (domain) return void free(domain)
      const { code, message } = koffi.decode(connectionError(connection), errorHead) as {
        code: number
        message: string
      }
      return code === refusedBySchema ? message : undefined
    },
    close: () => void close(connection),
  }
}
