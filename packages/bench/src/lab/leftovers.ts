import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stateRoot } from '@kubevirt-ts/dev-cluster'

const prefix = 'lab-'

/** A lab is named after the process that runs it. */
export const labName = (pid: number): string => `${prefix}${pid}`

/** Removes the folders of labs whose process was killed; their programs went with it. */
export async function removeLeftovers(): Promise<void> {
  const names = await readdir(stateRoot()).catch((): string[] => [])
  for (const name of names) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : NaN
    if (!Number.isInteger(pid) || existsSync(`/proc/${pid}`)) continue
    await rm(join(stateRoot(), name), { recursive: true, force: true })
  }
}
