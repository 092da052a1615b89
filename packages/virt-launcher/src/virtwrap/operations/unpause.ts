import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'
import { syncGuestTime } from './guest-time.ts'

/** Lets the guest's CPUs run again, whoever stopped them. Its clock is set in the background. */
export async function unpause(launcher: Launcher): Promise<void> {
  const { libvirt, state } = launcher
  if (state.settle !== undefined)
    throw new VirtError(
      'MigrationInDoubt',
      'whether the target runs the guest is not known; it stands still until it is',
    )
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    if ((await domain.state()).state === 'paused') await domain.resume()
    state.pausedByUser = false
  })
  syncGuestTime(launcher)
}
