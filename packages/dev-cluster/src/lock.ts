import { open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'
import { ensureFolder } from './machine.ts'
import { cacheDir, stateRoot } from './paths.ts'
import { identityOf, isRunning } from './process/identity.ts'
import type { ProcessIdentity } from './process/identity.ts'
import { waitUntil } from './process/wait.ts'

/** What only one piece of work at a time may do, of this process or another. */
export type Lock = {
  /** The file that exists while it is held. */
  readonly file: string
  /** What its holder is doing: `building images`. */
  readonly purpose: string
  /** How long others wait for it, in milliseconds. */
  readonly patience: number
}

const minute = 60_000

/** Getting programs into the cache, which may take as long as building Kubernetes does. */
export const preparing = (): Lock => ({
  file: join(cacheDir(), 'prepare.lock'),
  purpose: 'preparing local clusters',
  patience: 30 * minute,
})
/** Installing the distribution's packages. */
export const installing = (): Lock => ({
  file: join(cacheDir(), 'packages.lock'),
  purpose: 'installing packages',
  patience: 10 * minute,
})
/** Choosing addresses. */
export const choosingSlot = (): Lock => ({
  file: join(stateRoot(), '.slots.lock'),
  purpose: 'choosing a place for a local cluster',
  patience: 10_000,
})
/** Starting or ending one cluster. */
export const changing = (name: string): Lock => ({
  file: join(stateRoot(), `${name}.lock`),
  purpose: `working on the local cluster "${name}"`,
  patience: 0,
})

/**
 * Runs `work` while nobody else holds the lock. A lock whose owner has ended is taken over, also where another process
 * has the owner's number now.
 * @throws Failure when somebody holds it for too long
 */
export async function withLock<T>({ file, purpose, patience }: Lock, work: () => Promise<T>): Promise<T> {
  await ensureFolder(dirname(file))
  if (!(await waitUntil(() => take(file), { timeout: patience, every: 200 }))) {
    const owner = await readOwner(file)
    throw new Failure('Busy', `process ${owner?.pid ?? '?'} is already ${purpose}`, {
      remedy: 'wait for it, or end it, and try again',
    })
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function take(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(JSON.stringify(identityOf(process.pid)))
    await handle.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (await isAbandoned(file)) await rm(file, { force: true })
    return false
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const owner = await readOwner(file)
  if (owner) return !isRunning(owner)
  // Its owner is just about to write it, unless that was long ago.
  const made = await stat(file).catch(() => undefined)
  return made !== undefined && Date.now() - made.mtimeMs > 5000
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity
  } catch {
    return undefined
  }
}
