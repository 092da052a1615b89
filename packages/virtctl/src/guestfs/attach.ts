import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Terminal } from '../terminal.ts'

/** The first byte of a message says whose it is; of the protocol that every API server and kubelet speaks. */
const protocol = 'v4.channel.k8s.io'
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const

export interface Attachment {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** A stream to and from the terminal of a running container, with the size of ours. */
export async function attach(
  client: KubeClient,
  { namespace, pod, container }: Attachment,
  { stdout }: Terminal,
  signal: AbortSignal,
): Promise<Duplex> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/attach`
  const query = { container, stdin: true, stdout: true, tty: true }
  const socket = await client.upgrade(path, { protocol, paused: true, query, signal })
  const resize = () => {
    const { columns, rows } = stdout as { columns?: number; rows?: number }
    if (!columns || !rows || socket.readyState !== socket.OPEN) return
    send(socket, channel.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))
  }
  resize()
  stdout.on('resize', resize)
  socket.once('close', () => stdout.off('resize', resize))
  return terminalOf(socket)
}

function send(
  socket: WebSocket,
  to: number,
  data: Buffer,
  done: (error?: Error | null) => void = () => undefined,
): void {
  socket.send(Buffer.concat([Buffer.of(to), data]), (error) => done(error ?? null))
}

function terminalOf(socket: WebSocket): Duplex {
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (data: Buffer, _encoding, done) => send(socket, channel.stdin, data, done),
    destroy: (error, done) => {
      socket.terminate()
      done(error)
    },
  })
  socket.on('message', (message: Buffer) => {
    // The last message, of the channel for errors, tells how the container ended, which its owner sees anyway.
    const [from] = message
    if (from !== channel.stdout && from !== channel.stderr) return
    if (message.length > 1 && !stream.push(message.subarray(1))) socket.pause()
  })
  socket.once('close', () => stream.push(null))
  socket.once('error', (error) => stream.destroy(error))
  return stream
}
