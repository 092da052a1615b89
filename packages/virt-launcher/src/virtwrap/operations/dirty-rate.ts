import { setTimeout as delay } from 'node:timers/promises'
import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

const measuredSeconds = 1
const patienceMs = 5_000
const lookMs = 100
/** VIR_DOMAIN_DIRTYRATE_MEASURED */
const measured = 2n

/** How fast the guest changes its memory, in MiB per second, measured for a second. */
export async function dirtyRate({ libvirt }: Launcher): Promise<bigint> {
  await libvirt.ask(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    await domain.startDirtyRate(measuredSeconds)
  })
  const deadline = Date.now() + patienceMs
  await delay(measuredSeconds * 1_000)
  while (Date.now() < deadline) {
    const stats = await libvirt.ask(async (domain) => domain?.stats())
    if (stats?.['dirtyrate.calc_status'] === measured) return stats['dirtyrate.megabytes_per_second'] as bigint
    await delay(lookMs)
  }
  throw new VirtError('DirtyRateUnknown', 'QEMU did not measure how fast the guest changes its memory')
}
