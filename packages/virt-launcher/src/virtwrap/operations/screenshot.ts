import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'
import { portablePixmapToPng } from '../png.ts'

/** The picture of the guest's screen, as PNG. */
export async function screenshot({ libvirt }: Launcher): Promise<{ mime: string; data: Buffer }> {
  return libvirt.ask(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    const { mime, data } = await domain.screenshot()
    return { mime: 'image/png', data: mime === 'image/png' ? data : portablePixmapToPng(data) }
  })
}
