import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { joinCgroup } from './cgroup.ts'
import { identityOf, isRunning } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'
import { waitUntil } from './wait.ts'

/** A program that runs on after this one ends. */
export type Daemon = {
  /** Name of its record and its log. */
  readonly name: string
  readonly argv: readonly string[]
  readonly env?: Record<string, string>
  /** Resolves to true once it does its work. */
  ready(): Promise<boolean>
  /** Milliseconds until it must be ready. */
  readonly timeout?: number
}

/** Where the daemons of a cluster leave their records and logs, and the cgroup they live in. */
export type DaemonHome = { readonly state: string; readonly cgroup: string }

// The same for everybody, whatever shell started the cluster.
const programPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const recordOf = (home: Pick<DaemonHome, 'state'>, name: string): string =>
  join(home.state, 'processes', `${name}.json`)

/** The log of a daemon. */
export const daemonLog = (home: Pick<DaemonHome, 'state'>, name: string): string =>
  join(home.state, 'logs', `${name}.log`)

/** The recorded process of a daemon while it runs. */
export function runningDaemon(home: Pick<DaemonHome, 'state'>, name: string): ProcessIdentity | undefined {
  try {
    const identity = JSON.parse(readFileSync(recordOf(home, name), 'utf8')) as ProcessIdentity
    return isRunning(identity) ? identity : undefined
  } catch {
    return undefined
  }
}

/** When a daemon was started last, in milliseconds since 1970; infinity when it was not. */
export function daemonStart(home: Pick<DaemonHome, 'state'>, name: string): number {
  return statSync(recordOf(home, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
}

/**
 * Makes sure that a daemon runs and is ready.
 * @returns whether it had to be started
 * @throws Failure when it ends or is not ready in time
 */
export async function ensureDaemon(home: DaemonHome, daemon: Daemon): Promise<boolean> {
  const running = runningDaemon(home, daemon.name)
  if (running && (await daemon.ready())) return false
  const identity = running ?? start(home, daemon)
  const ready = await waitUntil(async () => (await daemon.ready()) || !isRunning(identity), {
    timeout: daemon.timeout ?? 120_000,
  })
  if (ready && isRunning(identity)) return running === undefined
  const log = daemonLog(home, daemon.name)
  throw new Failure(
    ready ? 'ProgramEnded' : 'NotReady',
    ready ? `${daemon.name} ended soon after its start` : `${daemon.name} is not ready in time`,
    {
      command: daemon.argv.join(' '),
      output: tail(log),
      log,
      remedy: 'read the log; `npm run cluster -- down` followed by `up` starts afresh',
    },
  )
}

function start(home: DaemonHome, daemon: Daemon): ProcessIdentity {
  mkdirSync(join(home.state, 'processes'), { recursive: true })
  mkdirSync(join(home.state, 'logs'), { recursive: true })
  const [program = '', ...args] = daemon.argv
  const log = openSync(daemonLog(home, daemon.name), 'a', 0o600)
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    env: { PATH: programPath, HOME: '/root', ...daemon.env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.on('error', () => {})
  child.unref()
  const identity = child.pid === undefined ? undefined : identityOf(child.pid)
  if (!identity) {
    throw new Failure('ProgramMissing', `${program} cannot be started`, { command: daemon.argv.join(' ') })
  }
  writeFileSync(recordOf(home, daemon.name), JSON.stringify(identity))
  joinCgroup(home.cgroup, identity.pid)
  return identity
}

/** Ends a daemon at once and forgets it. Another process that got its number since is left alone. */
export async function endDaemon(home: Pick<DaemonHome, 'state'>, name: string): Promise<void> {
  const identity = runningDaemon(home, name)
  if (identity) {
    process.kill(identity.pid, 'SIGKILL')
    await waitUntil(() => !isRunning(identity), { timeout: 10_000, every: 20 })
  }
  rmSync(recordOf(home, name), { force: true })
}

/** The last lines of a log. */
export function tail(path: string, lines = 12): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  } catch {
    return ''
  }
}
