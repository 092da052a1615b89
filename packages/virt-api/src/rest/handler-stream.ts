import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Batch } from './batch.ts'
import type { RestParts, Target } from './parts.ts'
import { streams } from './streams.ts'
import { fetchVmi } from './subjects.ts'
import { streamProtocol } from './virt-handler.ts'
import type { HandlerStream } from './virt-handler.ts'

/** Validates, dials virt-handler, and only then answers the client: it learns of a stream that is there. */
export async function handlerStream(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { client: api, virtHandler }: RestParts,
  target: Target,
  subresource: string,
  opened: () => () => void,
): Promise<void> {
  const vmi = await fetchVmi(api, target)
  streams[subresource]?.(vmi)
  const { search } = new URL(request.url ?? '/', 'https://virt-api')
  const key = request.headers['sec-websocket-key'] ?? ''
  const stream = await virtHandler.stream(vmi, subresource, search, key)
  if (client.destroyed) return void stream.socket.destroy()
  accept(request, client, stream)
  join(client, head, stream, opened())
}

/** virt-handler answered the client's own key, so its answer is the client's. */
function accept(request: IncomingMessage, client: Duplex, stream: HandlerStream): void {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim())
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${stream.accept}`,
    ...(offered.includes(streamProtocol) ? [`Sec-WebSocket-Protocol: ${streamProtocol}`] : []),
  ]
  client.write(`${lines.join('\r\n')}\r\n\r\n`)
}

/** Copies raw bytes both ways, each with the other's speed; the end of one direction leaves the other open. */
function join(client: Duplex, head: Buffer, { socket, read }: HandlerStream, closed: () => void): void {
  if (head.length > 0) socket.write(head)
  client.pipe(socket)
  const batch = new Batch(client, () => socket.resume())
  socket.once('end', () => batch.finish(() => client.end()))
  const breaks = (from: Duplex, to: Duplex) => {
    from.on('error', () => from.destroy())
    // Whoever goes without having said all takes the other along; after a proper end the rest is still sent.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy()
    })
  }
  breaks(client, socket)
  breaks(socket, client)
  client.once('close', closed)
  read((bytes) => batch.take(bytes))
}
