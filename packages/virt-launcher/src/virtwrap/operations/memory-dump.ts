import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

const suffix = '.memory.dump'

/**
 * Writes the guest's memory to a file below the folder of hotplugged volumes. Older dumps beside it are removed first:
 * the volume is as large as one. The guest is paused meanwhile and goes on afterwards.
 */
export async function memoryDump(path: string, { libvirt, places, log }: Launcher): Promise<void> {
  const folder = dirname(path)
  const below = resolve(places.guest.hotplugDisks)
  if (!resolve(path).startsWith(`${below}/`) || !basename(path).endsWith(suffix))
    throw new VirtError('DumpPathRefused', `a memory dump is a *${suffix} file below ${below}, not ${path}`)
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    await mkdir(folder, { recursive: true })
    await removeDumps(folder)
    const started = Date.now()
    try {
      await domain.coreDump(path)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    log.info({ path, milliseconds: Date.now() - started }, 'memory dumped')
  })
}

async function removeDumps(folder: string): Promise<void> {
  const old = (await readdir(folder)).filter((name) => name.endsWith(suffix))
  for (const name of old) await rm(join(folder, name), { force: true })
}
