import { once } from 'node:events'
import { Agent } from 'node:https'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import type { ConnectionOptions } from 'node:tls'
import { afterEach, expect, test } from '@jest/globals'
import type { TLSConfiguration } from '@kubevirt-ts/api'
import { staticCertificate } from '@kubevirt-ts/service'
import { createTlsServer, renewTls } from '../src/tls.ts'
import { ask } from './ask.ts'
import { pair, proxyCa } from './certificates.ts'

let server: Server | undefined
let settings: TLSConfiguration | undefined
afterEach(() => void server?.close())

const parts = {
  certificate: staticCertificate(pair('virt-api')),
  clientCa: () => proxyCa,
  settings: () => settings,
}

async function serve(configured: TLSConfiguration | undefined): Promise<Server> {
  settings = configured
  server = createTlsServer((_, response) => response.end(), parts)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const port = () => (server!.address() as AddressInfo).port

/** What a TLS client agreed on with the server, or the reason for which they could not. */
async function handshake(options: ConnectionOptions): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect({ host: '127.0.0.1', port: port(), rejectUnauthorized: false, ...options }, () =>
    resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`),
  )
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}

const only = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3', ciphers?: string): ConnectionOptions => ({
  minVersion: version,
  maxVersion: version,
  ...(ciphers && { ciphers }),
})

test('without settings a client needs TLS 1.2', async () => {
  await serve(undefined)
  expect(await handshake(only('TLSv1.1', 'DEFAULT:@SECLEVEL=0'))).toMatch(/^E/)
  expect(await handshake(only('TLSv1.2'))).toMatch(/^TLSv1\.2 /)
  expect(await handshake(only('TLSv1.3'))).toMatch(/^TLSv1\.3 /)
})

test('the minimum of the KubeVirt resource holds, also for a server that runs', async () => {
  const running = await serve({ minTLSVersion: 'VersionTLS12' })
  expect(await handshake(only('TLSv1.2'))).toMatch(/^TLSv1\.2 /)
  settings = { minTLSVersion: 'VersionTLS13' }
  renewTls(running, parts)
  expect(await handshake(only('TLSv1.2'))).toMatch(/^E/)
  expect(await handshake(only('TLSv1.3'))).toMatch(/^TLSv1\.3 /)
})

test('of the ciphers of TLS 1.2 those in the KubeVirt resource are spoken, by their names in Go', async () => {
  const suites = ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384']
  await serve({ minTLSVersion: 'VersionTLS12', ciphers: suites })
  expect(await handshake(only('TLSv1.2'))).toMatch(/^TLSv1\.2 TLS_ECDHE_(ECDSA|RSA)_WITH_AES_256_GCM_SHA384$/)
  const other = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256'
  expect(await handshake(only('TLSv1.2', other))).toMatch(/^E/)
  expect(await handshake(only('TLSv1.3'))).toMatch(/^TLSv1\.3 /)
})

test('where only ciphers of TLS 1.3 are chosen, or such as Node does not speak, nobody is served by TLS 1.2', async () => {
  const running = await serve({ minTLSVersion: 'VersionTLS12', ciphers: ['TLS_AES_256_GCM_SHA384'] })
  expect(await handshake(only('TLSv1.2'))).toMatch(/^E/)
  expect(await handshake(only('TLSv1.3'))).toMatch(/^TLSv1\.3 /)
  settings = { minTLSVersion: 'VersionTLS12', ciphers: ['TLS_RSA_WITH_RC4_128_SHA'] }
  renewTls(running, parts)
  expect(await handshake(only('TLSv1.2'))).toMatch(/^E/)
})

test('names that are no ciphers leave the server serving', async () => {
  const running = await serve(undefined)
  settings = { minTLSVersion: 'VersionTLS12', ciphers: ['ROT13'] }
  renewTls(running, parts)
  expect(await handshake(only('TLSv1.2'))).toMatch(/^TLSv1\.2 /)
})

test('idle connections outlive the API server’s own, so that no review meets a closing one', async () => {
  await serve(undefined)
  const agent = new Agent({ keepAlive: true })
  const answer = await ask(port(), '/', { agent })
  agent.destroy()
  expect(answer.headers['keep-alive']).toBe('timeout=120')
})
