import type { Duplex } from 'node:stream'

/** A source is held back while more than this waits for the other side, in bytes. */
const enough = 64 * 1024
const smallest = 16 * 1024

/**
 * Hands on in large pieces what comes in small ones: the records of TLS have 16 KiB at most, and each write of one costs
 * as much as a write of four. Two buffers take turns, one filled while the other is written, so that a fast console makes
 * no garbage; they grow with what comes.
 */
export class Batch {
  readonly #to: Duplex
  readonly #resume: () => void
  #filling = Buffer.allocUnsafe(smallest)
  #filled = 0
  #other = Buffer.allocUnsafe(0)
  #isWriting = false
  #isScheduled = false
  #isHeld = false
  #whenDone: (() => void) | undefined

  /** `resume` is called when a source that was held back may go on. */
  constructor(to: Duplex, resume: () => void) {
    this.#to = to
    this.#resume = resume
  }

  /** Copies the bytes, which may then be overwritten. False: hold the source back until `resume`. */
  take(bytes: Buffer): boolean {
    const length = this.#filled + bytes.length
    if (length > this.#filling.length) this.#grow(length)
    bytes.copy(this.#filling, this.#filled)
    this.#filled = length
    this.#schedule()
    this.#isHeld = length >= enough
    return !this.#isHeld
  }

  /** Calls `done` when all that was taken has been written. */
  finish(done: () => void): void {
    if (this.#filled === 0 && !this.#isWriting) return done()
    this.#whenDone = done
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, this.#filling.length * 2))
    this.#filling.copy(larger, 0, 0, this.#filled)
    this.#filling = larger
  }

  /** All that arrives in one turn of the event loop goes out together. */
  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#write()
    })
  }

  #write(): void {
    const full = this.#filling.subarray(0, this.#filled)
    const next = this.#other.length === 0 ? Buffer.allocUnsafe(smallest) : this.#other
    this.#other = this.#filling
    this.#filling = next
    this.#filled = 0
    this.#isWriting = true
    if (this.#isHeld) {
      this.#isHeld = false
      this.#resume()
    }
    this.#to.write(full, () => {
      this.#isWriting = false
      if (this.#filled > 0) return this.#write()
      this.#whenDone?.()
    })
  }
}
