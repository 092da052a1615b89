import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

/** Lets the guest's CPUs run again, whoever stopped them. */
export async function unpause({ libvirt, state, log }: Launcher): Promise<void> {
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    if ((await domain.state()).state === 'paused') await domain.resume()
    state.pausedByUser = false
    if (state.facts.agentConnected)
      await domain.setTime(new Date()).catch((error: unknown) => log.warn({ error }, "the guest's clock was not set"))
  })
}
