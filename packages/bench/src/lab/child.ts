import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { VirtError } from '@kubevirt-ts/service'

export type Program = {
  readonly name: string
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Resolves to true once it does its work. */
  readonly ready: () => Promise<boolean>
}

/** A running program of the lab. */
export type Child = {
  readonly name: string
  readonly pid: number
  readonly process: ChildProcess
  /** Rejects when the program ends before it is told to. */
  readonly lost: Promise<never>
}

/** Programs that were told to end. */
const ending = new WeakSet<ChildProcess>()

const readyWithinMs = 300_000
const endWithinMs = 5_000
const pollMs = 100

/**
 * Starts a program that ends with this process, however this process ends: the kernel kills it (PR_SET_PDEATHSIG), so
 * that an interrupted run leaves nothing behind. File descriptor 3 of the child is a pipe.
 */
export async function startChild({ name, argv, env, ready }: Program, logs: string): Promise<Child> {
  const log = join(logs, `${name}.log`)
  const output = openSync(log, 'a')
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...argv], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', output, output, 'pipe'],
  })
  closeSync(output)
  child.on('error', () => {})
  if (child.pid === undefined) throw new VirtError('ProgramMissing', 'setpriv cannot be started; install util-linux')
  const lost = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => {
      if (ending.has(child)) return
      reject(new VirtError('ProgramEnded', `${name} ended (${signal ?? code}); its log: ${tail(log)}`))
    })
  })
  // Whoever uses the lab hears of it; until then nobody has to.
  lost.catch(() => {})
  const started = { name, pid: child.pid, process: child, lost }
  const end = performance.now() + readyWithinMs
  while (!(await ready().catch(() => false))) {
    const ended = child.exitCode !== null || child.signalCode !== null
    if (!ended && performance.now() < end) {
      await delay(pollMs)
      continue
    }
    await endChild(started)
    throw new VirtError(
      ended ? 'ProgramEnded' : 'NotReady',
      `${name} ${ended ? 'ended at its start' : 'is not ready in time'}; its log: ${tail(log)}`,
    )
  }
  return started
}

/** Ends a program and waits until it is gone; one that does not end by itself is killed. */
export async function endChild({ process: child }: Child, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  ending.add(child)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs)
  await gone
  clearTimeout(timer)
}

/** The log goes with the lab, so its end is told. */
const tail = (log: string): string => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
