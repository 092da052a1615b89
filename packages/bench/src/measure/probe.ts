import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Child } from '../lab/child.ts'

/** What a service tells of itself. */
export type Reading = {
  readonly at: number
  readonly heapBytes: number
  /** Event-loop delay since its start. */
  readonly p99Ms: number
  readonly maxMs: number
}

/** Collects what the probe in a service tells. */
export class Probe {
  readonly readings: Reading[] = []
  readonly #child: Child
  #next = Promise.withResolvers<Reading>()

  constructor(child: Child) {
    this.#child = child
    createInterface({ input: child.process.stdio[3] as Readable }).on('line', (line) => {
      const reading = JSON.parse(line) as Reading
      this.readings.push(reading)
      this.#next.resolve(reading)
      this.#next = Promise.withResolvers<Reading>()
    })
  }

  /** Has the service collect all garbage; bytes of its heap afterwards. */
  async collectedHeap(): Promise<number> {
    let least = Infinity
    // The reading after the signal may still be the one of the clock.
    for (let reading = 0; reading < 2; reading++) {
      this.#child.process.kill('SIGUSR2')
      least = Math.min(least, (await this.#next.promise).heapBytes)
    }
    return least
  }
}
