import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (file: string) => readFileSync(join(import.meta.dirname, 'data', 'certificates', file), 'utf8')

/** Certificates made for the tests alone, valid for a hundred years; the keys of their authorities are gone. */
export const pair = (name: 'virt-api' | 'handler' | 'handler-client' | 'impostor' | 'proxy' | 'stranger') => ({
  cert: read(`${name}.crt`),
  key: read(`${name}.key`),
})

/** The authority of virt-api, virt-handler and their clients. */
export const kubevirtCa = read('ca.crt')
/** The authority of the API server's front proxy. */
export const proxyCa = read('proxy-ca.crt')
