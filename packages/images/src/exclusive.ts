import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { imagesCache } from './places.ts'

const askAgainMs = 500

/** Runs `work` while no other process of this machine builds images; waits for one that does. */
export async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  const file = imagesCache('lock')
  await mkdir(dirname(file), { recursive: true })
  while (!(await take(file))) await delay(askAgainMs)
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const owner = Number(await readFile(file, 'utf8').catch(() => ''))
    if (owner > 0 && !isRunning(owner)) await rm(file, { force: true })
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
