import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

/** Stops the guest's CPUs. Pausing a paused guest succeeds, so a retry is harmless. */
export async function pause({ libvirt, state }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    if ((await domain.state()).state !== 'running') return
    await domain.suspend()
    state.pausedByUser = true
  })
}
