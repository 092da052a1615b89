import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Terminal } from '../terminal.ts'

/** Ctrl+] or Ctrl+5. */
const escape = 29

/**
 * Copies between a stream and the terminal, key by key, until the user presses the escape key (as the first byte of
 * what is read) or the other side closes the stream. The end of standard input ends nothing: a script may just listen.
 * The terminal is then as before.
 */
export async function joinTerminal(
  stream: Duplex,
  { stdin, stdout }: Terminal,
  signal: AbortSignal,
): Promise<'escaped' | 'closed'> {
  const { promise, resolve } = Promise.withResolvers<'escaped' | 'closed'>()
  const isTerminal = stdin.isTTY === true
  const onKeys = (keys: Buffer) => {
    if (isTerminal && keys[0] === escape) return resolve('escaped')
    if (!stream.write(keys)) {
      stdin.pause()
      stream.once('drain', () => stdin.resume())
    }
  }
  const onOutput = (output: Buffer) => {
    if (stdout.write(output)) return
    stream.pause()
    void once(stdout, 'drain').then(() => stream.resume())
  }
  stream.on('data', onOutput)
  stream.once('end', () => resolve('closed'))
  stream.once('close', () => resolve('closed'))
  // How it ended is told by the stream's owner.
  stream.on('error', () => resolve('closed'))
  signal.addEventListener('abort', () => resolve('escaped'), { once: true })
  if (isTerminal) stdin.setRawMode?.(true)
  stdin.on('data', onKeys)
  // A session before this one paused it.
  stdin.resume()
  try {
    return await promise
  } finally {
    stdin.off('data', onKeys)
    if (isTerminal) stdin.setRawMode?.(false)
    stdin.pause()
    stream.destroy()
  }
}
