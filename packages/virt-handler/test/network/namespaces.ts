import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A network of its own, as long as its process lives. */
export interface Namespace {
  readonly pid: number
  /** Runs a command in it and answers what it printed. */
  run(command: readonly [string, ...string[]], input?: string): string
  /** Lines of `ip -batch -`. */
  ip(...lines: string[]): void
  /** Starts a program in it; resolves with its first line of output. The program ends with the namespace's disposal. */
  start(command: readonly [string, ...string[]]): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

export async function namespace(): Promise<Namespace> {
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo up; exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const children: ChildProcess[] = [holder]
  const enter = ['--no-fork', `--net=/proc/${holder.pid}/ns/net`]
  const run = (command: readonly string[], input = ''): string =>
    execFileSync('nsenter', [...enter, ...command], { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] })
  run(['ip', 'link', 'set', 'lo', 'up'])
  return {
    pid: holder.pid as number,
    run,
    ip: (...lines) => void run(['ip', '-batch', '-'], lines.map((line) => `${line}\n`).join('')),
    async start(command) {
      const child = spawn('nsenter', [...enter, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
      children.push(child)
      const errors: Buffer[] = []
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
      const first = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => undefined)])
      if (first === undefined) throw new Error(`${command.join(' ')} ended: ${Buffer.concat(errors).toString()}`)
      return String(first[0])
    },
    async [Symbol.asyncDispose]() {
      for (const child of children.toReversed()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
    },
  }
}
