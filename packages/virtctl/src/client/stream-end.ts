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
  socket.once('close', (code) => resolve(code === takenOver ? 'taken' : code === notSaid ? 'lost' : 'closed'))
  return promise
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
