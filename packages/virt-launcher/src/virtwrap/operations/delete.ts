import type { Launcher } from '../launcher.ts'

/** Makes libvirt forget the guest; its UEFI variables stay. Succeeds when it has forgotten it already. */
export async function deleteDomain({ libvirt, log }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) return
    await domain.undefine({ keepNvram: true })
    log.info('domain undefined')
  })
}
