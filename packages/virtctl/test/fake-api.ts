import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly authorization: string | undefined
}

export interface FakeApi {
  url: string
  readonly seen: Seen[]
  /** Of the last request. */
  headers: IncomingHttpHeaders
  /** Answers by `METHOD path`; 404 for all others. */
  readonly answers: Map<string, { readonly status: number; readonly body?: unknown }>
  /** How many streams that are asked for are hung up on, as a server does that is about to end. */
  hangUps: number
  /** What a stream's other side does; without it upgrades are refused with the answer for the path. */
  onStream?: (socket: WebSocket) => void
  close(): Promise<void>
}

/** An API server that gives prepared answers and remembers what it was asked. */
export async function fakeApi(): Promise<FakeApi> {
  const sockets = new WebSocketServer({ noServer: true })
  const seen: Seen[] = []
  const answers: FakeApi['answers'] = new Map()
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const { method = '', url = '' } = request
      api.headers = request.headers
      seen.push({
        method,
        path: url,
        body: text === '' ? undefined : JSON.parse(text),
        authorization: request.headers.authorization,
      })
      const { status, body } = answers.get(`${method} ${url}`) ?? { status: 404, body: { message: `${url} not found` } }
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(body === undefined ? '' : JSON.stringify(body))
    })
  })
  const api: FakeApi = {
    url: '',
    seen,
    headers: {},
    answers,
    hangUps: 0,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.on('upgrade', (request, socket, head) => {
    seen.push({
      method: 'UPGRADE',
      path: request.url ?? '',
      body: undefined,
      authorization: request.headers.authorization,
    })
    if (api.hangUps > 0) {
      api.hangUps -= 1
      return void socket.destroy()
    }
    const refusal = answers.get(`UPGRADE ${request.url}`)
    if (refusal) {
      const text = JSON.stringify(refusal.body)
      socket.end(
        `HTTP/1.1 ${refusal.status} No\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      )
      return
    }
    sockets.handleUpgrade(request, socket, head, (stream) => api.onStream?.(stream))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}
