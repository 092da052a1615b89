import { on, once } from 'node:events'
import { loadConfig } from '@kubevirt-ts/kubecli'
import { WebSocket } from 'ws'
import { tools } from './tools.ts'

// A guest may still be booting on a busy machine.
const limitMs = 90_000

export interface Opened {
  /** The subprotocol that the server chose. */
  readonly protocol: string
  /** What came, up to the words that were waited for. */
  readonly received: string
  readonly close?: () => void
}

/**
 * Opens a stream as a browser must, which can set no header: the token is one of the subprotocols. Closed again once
 * the words have come, in as many messages as they take, unless it is kept.
 */
export async function browserStream(path: string, token: string, words: string, keep = false): Promise<Opened> {
  const { server, tls } = await loadConfig({ kubeconfig: tools().kubeconfig })
  const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`
  const socket = new WebSocket(new URL(path, server.replace(/^http/, 'ws')), ['plain.kubevirt.io', bearer], {
    ...(tls.ca && { ca: tls.ca }),
  })
  const reading = readUntil(socket, words)
  // A refusal is told by the wait for the opening.
  reading.catch(() => undefined)
  await once(socket, 'open')
  const opened = { protocol: socket.protocol, received: await reading }
  if (keep) return { ...opened, close: () => socket.terminate() }
  socket.close()
  await once(socket, 'close')
  return opened
}

async function readUntil(socket: WebSocket, words: string): Promise<string> {
  let received = ''
  try {
    for await (const [data] of on(socket, 'message', { signal: AbortSignal.timeout(limitMs), close: ['close'] })) {
      received += (data as Buffer).toString('latin1')
      if (received.includes(words)) return received
    }
  } catch (error) {
    throw new Error(
      `${JSON.stringify(words)} did not come within ${limitMs / 1000} s, only ${JSON.stringify(received)}`,
      {
        cause: error,
      },
    )
  }
  throw new Error(`the stream ended before ${JSON.stringify(words)} came, with ${JSON.stringify(received)}`)
}
