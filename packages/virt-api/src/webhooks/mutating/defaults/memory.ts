import { formatQuantity, parseQuantity } from '@kubevirt-ts/api'
import { memoryHotplugObstacle } from '@kubevirt-ts/vmispec'
import { maxHotplugRatio, updatesLive } from './live-update.ts'
import type { Default } from './default.ts'

/** Guest memory from the request, else the limit, else one huge page. */
export const guestMemory: Default = ({ spec: { domain } }) => {
  if (domain.memory?.guest !== undefined) return
  const guest =
    domain.resources?.requests?.['memory'] ?? domain.resources?.limits?.['memory'] ?? domain.memory?.hugepages?.pageSize
  if (guest !== undefined) domain.memory = { ...domain.memory, guest }
}

/** What the guest starts with, so that later changes can be told from it. */
export const memoryStatus: Default = (vmi) => {
  const guest = vmi.spec.domain.memory?.guest
  if (guest === undefined) return
  vmi.status = { ...vmi.status, memory: { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest } }
}

/** Room to grow while running, where memory hot-plug is possible at all. */
export const maxGuestMemory: Default = (vmi, settings) => {
  const { domain, architecture } = vmi.spec
  const memory = domain.memory
  if (!updatesLive(vmi, settings) || memory?.guest === undefined || memory.maxGuest !== undefined) return
  const guest = parseQuantity(memory.guest)
  const maxGuest =
    settings.configuration.liveUpdateConfiguration?.maxGuest ??
    formatQuantity(guest * BigInt(maxHotplugRatio(settings)))
  if (memoryHotplugObstacle(domain, architecture, maxGuest) === undefined) memory.maxGuest = maxGuest
}
