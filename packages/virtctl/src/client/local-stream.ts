import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createWebSocketStream } from 'ws'
import type { WebSocket } from 'ws'

/** How long the far side may take to say that it has heard the last of a client that left. */
const farewellMs = 1000

/**
 * Joins a client of this machine with a stream of the cluster until one of them ends, or the user gives up. A far side
 * that does not answer keeps nobody here, and neither does a client that does not hang up in its turn.
 * @returns whether it was the client who left: that is no failure
 */
export async function joinLocally(stream: WebSocket, socket: Socket, signal: AbortSignal): Promise<boolean> {
  let clientLeft = false
  const carried = createWebSocketStream(stream)
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const joined = Promise.allSettled([pipeline(carried, socket).then(resolve), pipeline(socket, carried)])
  const left = (): void => {
    clientLeft ||= stream.readyState === stream.OPEN
    void delay(farewellMs, undefined, { ref: false }).then(resolve)
  }
  socket.once('end', left).once('error', left)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([joined, over])
  stream.terminate()
  socket.destroy()
  return clientLeft
}
