import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

/** Presses the reset button. */
export async function reset({ libvirt }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    await domain.reset()
  })
}
