import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

/** Compiles one of the package's C programs, with other paths in it than those of an image. */
export function compile(source: string, output: string, definitions: Readonly<Record<string, string>> = {}): string {
  const defines = Object.entries(definitions).map(([name, value]) => `-D${name}=${value}`)
  const warnings = ['-Wall', '-Wextra', '-Werror']
  execFileSync('gcc', [
    '-std=gnu11',
    '-O1',
    ...warnings,
    ...defines,
    '-o',
    output,
    join(import.meta.dirname, '..', source),
  ])
  return output
}

export type Running = AsyncDisposable & {
  readonly process: ChildProcess
  readonly pid: number
  /** Resolves with the exit code, or with the name of the signal. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Standard output so far. */
  output(): string
  /** Resolves when standard output has this text. */
  says(text: string): Promise<void>
}

/** Starts a program; it is killed at the end of the test if it still runs. */
export function start(program: string, args: readonly string[]): Running {
  const process = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const listeners = new Set<() => void>()
  process.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    for (const listener of listeners) listener()
  })
  process.stderr.resume()
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    process.once('close', (code, signal) => resolve(code ?? signal!)),
  )
  return {
    process,
    pid: process.pid!,
    ended,
    output: () => output,
    says: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!output.includes(text)) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      process.kill('SIGKILL')
      await ended
    },
  }
}
