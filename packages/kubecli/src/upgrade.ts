import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { ApiError } from './api-error.ts'
import type { ApiPath, UpgradeOptions } from './kube-client.ts'
import { statusOf } from './answer.ts'
import type { Transport } from './transport.ts'

/** Opens a stream to a subresource. `ws` is loaded here alone, since most processes never need it. */
export async function openStream(transport: Transport, path: ApiPath, options: UpgradeOptions): Promise<WebSocket> {
  const { WebSocket: Socket } = await import('ws')
  const target = await transport.upgradeTarget(path, options.query)
  const protocol = options.protocol ?? 'plain.kubevirt.io'
  // Compression would only delay keystrokes.
  const socket = new Socket(target.url, [protocol], { ...target.options, perMessageDeflate: false })
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  socket.once('open', () => {
    if (options.paused === true) socket.pause()
    resolve(socket)
  })
  socket.once('error', reject)
  socket.once('unexpected-response', (_, answer) => {
    void refusal(answer, path).then((error) => {
      reject(error)
      socket.terminate()
    })
  })
  const abort = () => socket.terminate()
  options.signal?.addEventListener('abort', abort, { once: true })
  socket.once('close', () => options.signal?.removeEventListener('abort', abort))
  if (options.signal?.aborted === true) abort()
  return promise
}

async function refusal(answer: IncomingMessage, path: string): Promise<ApiError> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  const response = { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }
  return new ApiError(statusOf(response), { request: `GET ${path}` })
}
