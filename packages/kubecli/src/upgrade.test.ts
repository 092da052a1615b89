import { expect, test } from '@jest/globals'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { isForbidden } from './api-error.ts'
import { createClient } from './client.ts'

/** Echoes on `/echo`, refuses elsewhere. */
async function streamServer() {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false })
  const server = createServer()
  const seen: { authorization?: string | undefined; accept?: string | undefined; url?: string | undefined }[] = []
  server.on('upgrade', (request, socket, head) => {
    const { authorization, accept } = request.headers
    seen.push({ authorization, accept, url: request.url })
    if (request.url?.startsWith('/echo') !== true) {
      const body = JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no console for you' })
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      return
    }
    sockets.handleUpgrade(request, socket, head, (stream) => stream.on('message', (data) => stream.send(data)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const authorization = async () => 'Bearer token'
  const config = { server: `http://127.0.0.1:${port}`, namespace: 'default', tls: {}, authorization }
  return { config, seen, [Symbol.dispose]: () => server.close() }
}

test('a stream carries bytes both ways under the protocol of KubeVirt', async () => {
  using server = await streamServer()
  const client = createClient(server.config, { userAgent: 'test' })

  const stream = await client.upgrade('/echo', { query: { preserveSession: true } })
  const answer = new Promise((resolve) => stream.once('message', resolve))
  stream.send(Buffer.from('login:'))

  expect(String(await answer)).toBe('login:')
  expect(stream.protocol).toBe('plain.kubevirt.io')
  expect(server.seen).toEqual([{ authorization: 'Bearer token', accept: '*/*', url: '/echo?preserveSession=true' }])
  stream.terminate()
})

test('a refused stream is an error with the words of the server', async () => {
  using server = await streamServer()
  const client = createClient(server.config, { userAgent: 'test' })

  const error = await client.upgrade('/other').catch((caught: unknown) => caught)

  expect(isForbidden(error)).toBe(true)
  expect((error as Error).message).toBe('GET /other: no console for you')
})
