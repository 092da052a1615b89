import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { Duplex } from 'node:stream'

/**
 * Connects to a port of the guest with this CID. Rejects with the reason, after some seconds at the latest. Once the
 * stream is destroyed, what was written before still has some seconds to reach the guest.
 */
export type DialVsock = (cid: number, port: number) => Promise<Duplex>

/** See mount/virt-vsock.c; it is where virt-handler's image keeps it. */
export function vsockDialler(program = '/usr/bin/virt-vsock'): DialVsock {
  return async (cid, port) => {
    const child = spawn(program, [String(cid), String(port)])
    // It is there before the guest's first byte.
    const stream = new ProcessStream(child)
    try {
      await connected(child)
      return stream
    } catch (error) {
      stream.destroy()
      throw error
    }
  }
}

/** What the program says first is that it is connected, or why not. */
function connected(child: ChildProcessWithoutNullStreams): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.startsWith('connected\n')) resolve()
    })
    child.on('error', reject)
    child.once('close', (code, signal) => reject(new Error(said.trim() || `virt-vsock ended with ${code ?? signal}`)))
  })
}

/** A program's standard input and output. The program ends by itself when both are closed. */
class ProcessStream extends Duplex {
  readonly #child: ChildProcessWithoutNullStreams

  constructor(child: ChildProcessWithoutNullStreams) {
    super()
    this.#child = child
    child.stdout.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) child.stdout.pause()
    })
    child.stdout.once('end', () => this.push(null))
    // A program that reads no more may have written its last words: their end is the stream's end.
    child.stdin.on('error', () => undefined)
  }

  override _read(): void {
    this.#child.stdout.resume()
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#child.stdin.write(bytes, () => done())
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#child.stdin.destroy()
    this.#child.stdout.destroy()
    done(error)
  }
}
