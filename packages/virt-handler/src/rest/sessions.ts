import type { WebSocket } from 'ws'

/** Close code that tells a session's owner that somebody else has it now: waiting for it would take it back. */
export const takenOver = 4001

/** Who looks at which device: one at a time, the last one who came. */
export class Sessions {
  readonly #current = new Map<string, WebSocket>()

  has(device: string): boolean {
    return this.#current.has(device)
  }

  /** Ends the session that was there. */
  take(device: string, webSocket: WebSocket): void {
    const before = this.#current.get(device)
    before?.close(takenOver, 'another user opened a session')
    // QEMU talks to one at a time: whoever was there must be gone, not be asked to go.
    before?.terminate()
    this.#current.set(device, webSocket)
    webSocket.once('close', () => {
      if (this.#current.get(device) === webSocket) this.#current.delete(device)
    })
  }

  close(): void {
    for (const webSocket of this.#current.values()) webSocket.terminate()
  }
}
