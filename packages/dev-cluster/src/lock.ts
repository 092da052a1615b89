import { open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from './failure.ts'
import { ensureFolder } from './machine.ts'
import { stateRoot } from './paths.ts'
import { identityOf, isRunning } from './process/identity.ts'
import type { ProcessIdentity } from './process/identity.ts'
import { waitUntil } from './process/wait.ts'

/** What only one process at a time may do, and how long another waits for it, in milliseconds. */
export type Lock = { readonly file: string; readonly purpose: string; readonly patience: number }

/** Getting programs into the cache, which may take as long as building Kubernetes does. */
export const preparing: Lock = { file: '.prepare', purpose: 'preparing local clusters', patience: 30 * 60_000 }
/** Choosing addresses. */
export const choosingSlot: Lock = { file: '.slots', purpose: 'choosing a place for a local cluster', patience: 10_000 }
/** Starting or ending one cluster. */
export const changing = (name: string): Lock => ({
  file: name,
  purpose: `working on the local cluster "${name}"`,
  patience: 0,
})

/**
 * Runs `work` while no other process holds the lock. A lock whose owner has ended is taken over.
 * @throws Failure when another process holds it for too long
 */
export async function withLock<T>(lock: Lock, work: () => Promise<T>): Promise<T> {
  await ensureFolder(stateRoot())
  const file = join(stateRoot(), `${lock.file}.lock`)
  if (!(await waitUntil(() => take(file), { timeout: lock.patience, every: 200 }))) {
    const owner = await readOwner(file)
    throw new Failure('Busy', `process ${owner?.pid ?? '?'} is already ${lock.purpose}`, {
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
