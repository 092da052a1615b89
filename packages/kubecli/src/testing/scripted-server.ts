import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClusterConfig } from '../config/cluster-config.ts'

/** A request that reached the server. */
export interface ScriptedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ScriptedServer extends AsyncDisposable {
  /** For `createClient`. */
  readonly config: ClusterConfig
  readonly requests: ScriptedRequest[]
  /** How many connections were opened. */
  connections(): number
}

/** A real HTTP server on the loopback that answers as the test says, whole or bit by bit. */
export async function scriptedServer(
  answer: (request: ScriptedRequest, response: ServerResponse) => void | Promise<void>,
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = []
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      requests.push(request)
      return answer(request, response)
    })
  })
  let connections = 0
  server.on('connection', () => (connections += 1))
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = server.address() as AddressInfo
  return {
    config: { server: `http://127.0.0.1:${port}`, namespace: 'default', tls: {}, authorization: async () => undefined },
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ScriptedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return {
    method: incoming.method ?? '',
    url: new URL(incoming.url ?? '/', 'http://server'),
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString(),
  }
}

/** Answers with JSON. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
