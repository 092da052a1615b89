import { cp } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@kubevirt-ts/service'

/** What the image's build asked QEMU once: asking takes seconds on each start. */
const shipped = '/usr/share/kubevirt-ts/libvirt-cache'

/** Lays the shipped answers where libvirt looks for them. It asks again where they do not fit this host. */
export async function primeCapabilities(cache: string, log: Logger): Promise<void> {
  if (!existsSync(shipped)) return
  try {
    await cp(join(shipped, 'libvirt'), join(cache, 'libvirt'), { recursive: true })
  } catch (error) {
    log.warn({ error }, "libvirt's cache could not be filled; the first start takes longer")
  }
}
