import { once } from 'node:events'
import { loadConfig } from '@kubevirt-ts/kubecli'
import { WebSocket } from 'ws'
import { tools } from './tools.ts'

export interface Opened {
  /** The subprotocol that the server chose. */
  readonly protocol: string
  /** What came first. */
  readonly first: string
  readonly close?: () => void
}

/**
 * Opens a stream as a browser must, which can set no header: the token is one of the subprotocols. Closed again after
 * its first words, unless it is kept.
 */
export async function browserStream(path: string, token: string, keep = false): Promise<Opened> {
  const { server, tls } = await loadConfig({ kubeconfig: tools().kubeconfig })
  const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`
  const socket = new WebSocket(new URL(path, server.replace(/^http/, 'ws')), ['plain.kubevirt.io', bearer], {
    ...(tls.ca && { ca: tls.ca }),
  })
  const first = once(socket, 'message', { signal: AbortSignal.timeout(30_000) })
  // A refusal is told by the wait for the opening.
  first.catch(() => undefined)
  await once(socket, 'open')
  const [data] = (await first) as [Buffer]
  const opened = { protocol: socket.protocol, first: data.toString('latin1') }
  if (keep) return { ...opened, close: () => socket.terminate() }
  socket.close()
  await once(socket, 'close')
  return opened
}
