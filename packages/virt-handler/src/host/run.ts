import { spawn } from 'node:child_process'

/** A program that ended with another code than 0; the message is what it said, or how it ended. */
export class ProgramFailed extends Error {
  readonly command: readonly string[]
  readonly exitCode: number | null

  constructor(command: readonly string[], exitCode: number | null, said: string) {
    super(said.trim() || `${command[0]} ended with exit code ${exitCode}`)
    this.name = 'ProgramFailed'
    this.command = command
    this.exitCode = exitCode
  }
}

/** Programs are short-lived; what they print is a reason or a small table. */
const outputLimit = 1024 * 1024
const timeLimitMs = 30_000

/**
 * Runs a program with the given standard input and answers its standard output. Throws `ProgramFailed` when it fails,
 * takes longer than 30 s or cannot be started.
 */
export async function run(command: readonly [string, ...string[]], input = ''): Promise<string> {
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: timeLimitMs, killSignal: 'SIGKILL' })
  const out = collect(child.stdout)
  const err = collect(child.stderr)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(new ProgramFailed(command, null, error.message)))
    child.once('close', resolve)
  })
  if (code !== 0) throw new ProgramFailed(command, code, err())
  return out()
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    if (text.length < outputLimit) text += chunk
  })
  return () => text
}
