import type { Server, Socket } from 'node:net'

/**
 * Viewers that connect to the local end, one at a time. One that comes while the screen is on its way, as a viewer does
 * that connects again by itself, is kept until somebody asks for it; one that comes beside another is sent away.
 */
export class Incoming {
  #kept: Socket | undefined
  #taker: ((socket: Socket) => void) | undefined
  #current: Socket | undefined

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#came(socket))
    server.once('close', () => this.#kept?.destroy())
  }

  /** The next viewer. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const kept = this.#kept
    this.#kept = undefined
    if (kept && !kept.destroyed) {
      this.#current = kept
      resolve(kept)
      return promise
    }
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    this.#taker = (socket) => {
      signal.removeEventListener('abort', abort)
      this.#current = socket
      resolve(socket)
    }
    return promise
  }

  #came(socket: Socket): void {
    // Whoever owns it looks after its end; until then a broken one is only gone.
    socket.on('error', () => socket.destroy())
    if (this.#current && !this.#current.destroyed) return void socket.destroy()
    const taker = this.#taker
    this.#taker = undefined
    if (taker) return taker(socket)
    this.#kept?.destroy()
    this.#kept = socket
  }
}
