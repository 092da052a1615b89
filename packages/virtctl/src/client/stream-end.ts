import { virtualMachineInstances } from '@kubevirt-ts/api'
import { isForbidden, isNotFound } from '@kubevirt-ts/kubecli'
import type { WebSocket } from 'ws'
import type { Cluster } from '../command.ts'

/** `closed`: the guest's side ended it; `taken`: another user came; `lost`: something on the way went away. */
export type StreamEnd = 'closed' | 'taken' | 'lost'

/** Close codes of WebSockets: no close was ever said, and virt-handler's own for a session that somebody took over. */
const notSaid = 1006
const takenOver = 4001

/** How a stream will have ended; ask before anything is read from it. */
export function endOf(socket: WebSocket): Promise<StreamEnd> {
  const { promise, resolve } = Promise.withResolvers<StreamEnd>()
  watchLife(socket)
  socket.once('close', (code) => resolve(code === takenOver ? 'taken' : code === notSaid ? 'lost' : 'closed'))
  return promise
}

/** How often the other side is asked for a sign of life, in milliseconds, and how many times it may not give one. */
const heartbeat = { everyMs: 5000, unanswered: 6 }

/**
 * Ends a stream whose other side went away without a word, as a pod does that is killed together with its network. One
 * that never answers pings is left alone, and so is one that waits for a slow reader here. Pings are counted, not time:
 * when this machine slept, or was too busy, it is not the other side that was silent.
 */
export function watchLife(socket: WebSocket, { everyMs, unanswered: most } = heartbeat): void {
  let unanswered: number | undefined
  const hear = () => (unanswered = 0)
  socket.on('pong', hear)
  socket.ping()
  const timer = setInterval(() => {
    if (socket.isPaused && unanswered !== undefined) hear()
    if (unanswered === most) return socket.terminate()
    if (unanswered !== undefined) unanswered += 1
    if (socket.readyState === socket.OPEN) socket.ping()
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** Whether a lost stream is worth waiting for. Where that can not be told the next try tells it. */
export async function mayComeBack({ client, namespace }: Cluster, vmi: string): Promise<boolean> {
  try {
    const { status, metadata } = await client.get(virtualMachineInstances, { namespace, name: vmi })
    return status?.phase === 'Running' && !metadata.deletionTimestamp
  } catch (error) {
    return !isNotFound(error) && !isForbidden(error)
  }
}

/** A stream that is lost at once, again and again, has a reason that waiting does not cure. */
export class Patience {
  readonly #shortMs = 3000
  readonly #most = 3
  #short = 0
  #since = Date.now()

  begins(): void {
    this.#since = Date.now()
  }

  /** Whether to try again after the stream that began last was lost. */
  lasts(): boolean {
    this.#short = Date.now() - this.#since < this.#shortMs ? this.#short + 1 : 0
    return this.#short < this.#most
  }
}
