import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from './failure.ts'
import { ensureFolder } from './machine.ts'
import { stateRoot } from './paths.ts'
import { identityOf, isRunning } from './process/identity.ts'
import type { ProcessIdentity } from './process/identity.ts'

/**
 * Runs `work` while no other process does anything under the same lock.
 * A lock whose owner has ended is taken over.
 * @throws Failure when another process holds it
 */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  await ensureFolder(stateRoot())
  const file = join(stateRoot(), `${name}.lock`)
  await take(file, name)
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function take(file: string, name: string): Promise<void> {
  const owner = await readOwner(file)
  if (owner && isRunning(owner)) {
    throw new Failure('Busy', `process ${owner.pid} is already working on the local cluster "${name}"`, {
      remedy: 'wait for it, or end it, and try again',
    })
  }
  if (owner) await rm(file, { force: true })
  const handle = await open(file, 'wx', 0o600)
  await handle.writeFile(JSON.stringify(identityOf(process.pid)))
  await handle.close()
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as ProcessIdentity
  } catch {
    // Its owner was stopped between creating and writing it.
    return { pid: 0, startTime: '', boot: '' }
  }
}
