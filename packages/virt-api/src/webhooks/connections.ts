import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { keepAliveMs } from '../tls.ts'
import type { AnswerReview } from './serve.ts'
import { arriving, written } from './wire.ts'
import type { Arriving } from './wire.ts'

/** Ends what there is of connections: those that wait at once, others after their answer. */
export type EndReviews = () => void

/**
 * Answers the reviews that come on a server's connections itself. Node's HTTP server makes a dozen objects for a request,
 * which took longer than to judge a VMI. A connection on which anything else comes than a plain review is given to it.
 */
export function comeFirst(server: Server, answer: AnswerReview): EndReviews {
  const listeners = server.listeners('secureConnection')
  const open = new Set<Connection>()
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: Socket) => {
    const connection = new Connection(socket, answer, () => {
      open.delete(connection)
      for (const listener of listeners) listener.call(server, socket)
    })
    open.add(connection)
    socket.once('close', () => open.delete(connection))
  })
  return () => {
    for (const connection of open) connection.end()
  }
}

class Connection {
  readonly #socket: Socket
  readonly #answer: AnswerReview
  readonly #giveAway: () => void
  /** What has come and was not answered. */
  #pieces: Buffer[] = []
  #length = 0
  #arriving: Arriving | undefined
  #isAsked = false
  #isLast = false

  constructor(socket: Socket, answer: AnswerReview, giveAway: () => void) {
    this.#socket = socket
    this.#answer = answer
    this.#giveAway = giveAway
    socket.on('data', this.#take).on('end', this.#isLeft).on('error', this.#close)
    socket.setTimeout(keepAliveMs, this.#close)
  }

  end(): void {
    this.#isLast = true
    if (!this.#isAsked && this.#length === 0) this.#close()
  }

  /** Who asked and then ended its own side still listens. */
  readonly #isLeft = (): void => {
    this.#isLast = true
    if (!this.#isAsked) this.#close()
  }

  readonly #close = (): void => void this.#socket.destroy()

  readonly #take = (piece: Buffer): void => {
    this.#pieces.push(piece)
    this.#length += piece.length
    // Who asks again before the answer waits for it, so that no more is kept than came with one piece.
    if (this.#isAsked) this.#socket.pause()
    else this.#read()
  }

  #read(): void {
    const bytes = this.#arriving ? undefined : this.#joined()
    this.#arriving ??= arriving(bytes!)
    if (!this.#arriving) return this.#leave()
    if (this.#length >= this.#arriving.end) this.#ask(this.#arriving)
  }

  #joined(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)]
    return this.#pieces[0]!
  }

  #ask({ admit, start, end }: Arriving): void {
    const bytes = this.#joined()
    this.#pieces = bytes.length > end ? [bytes.subarray(end)] : []
    this.#length = bytes.length - end
    this.#arriving = undefined
    this.#isAsked = true
    void this.#answer(admit, bytes.subarray(start, end)).then((answer) => {
      if (this.#isLast) return void this.#socket.end(written(answer, true))
      if (this.#socket.write(written(answer, false))) this.#goOn()
      else this.#socket.once('drain', this.#goOn)
    })
  }

  /** The answer is on its way; who does not read answers is not listened to either. */
  readonly #goOn = (): void => {
    this.#isAsked = false
    this.#socket.resume()
    if (this.#length > 0) this.#read()
  }

  /** Gives the connection to the HTTP server, as if nothing had been read of it. */
  #leave(): void {
    const socket = this.#socket
    socket.off('data', this.#take).off('end', this.#isLeft).off('error', this.#close)
    socket.setTimeout(0, this.#close)
    socket.off('timeout', this.#close)
    socket.pause()
    socket.unshift(this.#joined())
    this.#giveAway()
    socket.resume()
  }
}
