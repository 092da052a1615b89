import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { Failure } from '../failure.ts'

export type CommandOptions = {
  readonly input?: string
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** File that gets everything the command writes. */
  readonly log?: string
  /** Milliseconds after which the command is ended. */
  readonly timeout?: number
  /** Ends the command early, as Ctrl+C would. */
  readonly signal?: AbortSignal
  /** Reason code and remedy of the failure; without them the command's name is the reason. */
  readonly reason?: string
  readonly remedy?: string
}

/** What a command left behind. */
export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

const lastLines = (text: string, count = 12): string => text.trimEnd().split('\n').slice(-count).join('\n')

/** Runs a command to its end, whatever its exit code. A program that is not there ends with code 127. */
export async function tryCommand(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [program = '', ...args] = argv
  const child = spawn(program, args, {
    cwd: options.cwd,
    // Root's programs, which a shell made by `su` does not find.
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, ...options.env },
    timeout: options.timeout,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const interrupt = () => void child.kill('SIGINT')
  if (options.signal?.aborted) interrupt()
  options.signal?.addEventListener('abort', interrupt, { once: true })
  const output = { stdout: '', stderr: '' }
  const log = options.log ? openLog(options.log) : undefined
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
      log?.write(text)
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const code = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      output.stderr += `${error.message}\n`
      resolve(127)
    })
    child.on('close', (exit) => resolve(exit ?? 1))
  })
  options.signal?.removeEventListener('abort', interrupt)
  if (log) await finished(log.end())
  return { code, ...output }
}

/**
 * Runs a command and returns what it wrote to its standard output.
 * @throws Failure when it cannot be started or its exit code is not 0
 */
export async function command(argv: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await tryCommand(argv, options)
  if (code === 0) return stdout
  throw new Failure(options.reason ?? 'CommandFailed', `${argv[0]} ended with code ${code}`, {
    command: argv.join(' '),
    output: lastLines(stderr.trim() || stdout),
    ...(options.log ? { log: options.log } : {}),
    ...(options.remedy ? { remedy: options.remedy } : {}),
  })
}

function openLog(path: string) {
  mkdirSync(dirname(path), { recursive: true })
  return createWriteStream(path, { flags: 'a' })
}
