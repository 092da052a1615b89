import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@kubevirt-ts/service'

/** What the image's build asked QEMU once: asking takes seconds on each start. */
const shipped = '/usr/share/kubevirt-ts/libvirt-cache'
const capabilities = 'libvirt/qemu/cache/capabilities'
const driverFolders = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib/s390x-linux-gnu',
  '/usr/lib64',
]

/**
 * Lays the shipped answers where libvirt looks for them. libvirt trusts them only when the programs are as old as
 * they were when it asked; unpacking an image makes them younger, so the answers get the programs' present age.
 * Everything else that libvirt checks (versions, modules, KVM) still holds or makes it ask again.
 */
export async function primeCapabilities(cache: string, daemon: string, log: Logger): Promise<void> {
  const from = join(shipped, capabilities)
  if (!existsSync(from)) return
  try {
    const to = join(cache, capabilities)
    await mkdir(to, { recursive: true })
    const daemonTime = await youngest([daemon, ...(await driversOf())])
    for (const name of await readdir(from)) {
      const answers = await readFile(join(from, name), 'utf8')
      await writeFile(join(to, name), await withPresentTimes(answers, daemonTime))
    }
  } catch (error) {
    log.warn({ error }, "libvirt's cache could not be filled; the first start takes longer")
  }
}

async function withPresentTimes(answers: string, daemonTime: number): Promise<string> {
  const emulator = /<emulator>([^<]+)<\/emulator>/.exec(answers)?.[1]
  if (emulator === undefined) return answers
  return answers
    .replace(/<qemuctime>\d+</, `<qemuctime>${await youngest([emulator])}<`)
    .replace(/<selfctime>\d+</, `<selfctime>${daemonTime}<`)
}

/** libvirt's drivers count as parts of the daemon. */
async function driversOf(): Promise<string[]> {
  const folders = driverFolders.map((folder) => join(folder, 'libvirt/connection-driver'))
  const found = await Promise.all(
    folders.map(async (folder) => (await readdir(folder).catch(() => [])).map((name) => join(folder, name))),
  )
  return found.flat()
}

/** Seconds since 1970 of the last change of the youngest of these files. */
async function youngest(paths: readonly string[]): Promise<number> {
  const times = await Promise.all(paths.map(async (path) => Math.floor((await stat(path)).ctimeMs / 1_000)))
  return Math.max(...times)
}
