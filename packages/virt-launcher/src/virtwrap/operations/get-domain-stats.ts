import type { GuestStatistics } from '@kubevirt-ts/handler-launcher-com'
import type { Launcher } from '../launcher.ts'

/** What libvirt counts of the guest, and what its agent told last; undefined without a running domain. */
export async function getDomainStats({ libvirt, state }: Launcher): Promise<GuestStatistics | undefined> {
  const stats = await libvirt.ask(async (domain) => {
    if (!domain || (await domain.state()).state === 'shutoff') return undefined
    return domain.stats()
  })
  if (!stats) return undefined
  const numbers = Object.entries(stats).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ])
  const { load, filesystems } = state.agent
  return { domain: Object.fromEntries(numbers) as GuestStatistics['domain'], load, filesystems }
}
