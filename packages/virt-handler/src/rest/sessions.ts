import type { WebSocket } from 'ws'

/** Who looks at which device: one at a time, the last one who came. */
export class Sessions {
  readonly #current = new Map<string, WebSocket>()

  has(device: string): boolean {
    return this.#current.has(device)
  }

  /** Ends the session that was there. */
  take(device: string, webSocket: WebSocket): void {
    this.#current.get(device)?.terminate()
    this.#current.set(device, webSocket)
    webSocket.once('close', () => {
      if (this.#current.get(device) === webSocket) this.#current.delete(device)
    })
  }

  close(): void {
    for (const webSocket of this.#current.values()) webSocket.terminate()
  }
}
