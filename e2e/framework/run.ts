import { spawn } from 'node:child_process'

export type Output = { readonly code: number; readonly stdout: string; readonly stderr: string }
export type RunOptions = {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly timeoutMs?: number
}

/** Runs a program to its end. Never throws for an exit code: tests look at it. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...options.env },
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      timeout: options.timeoutMs ?? 120_000,
    })
    const started = performance.now()
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      if (code === null) stderr += `(ended by ${signal} after ${seconds} s)\n`
      resolve({ code: code ?? -1, stdout, stderr })
    })
    child.stdin.on('error', () => undefined).end(options.input ?? '')
  })
}

/** Runs a program that must succeed, and returns what it printed. */
export async function must(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stderr || stdout}`)
  return stdout
}
