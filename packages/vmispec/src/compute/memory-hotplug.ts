import { parseQuantity } from '@kubevirt-ts/api'
import type { DomainSpec, Quantity } from '@kubevirt-ts/api'

const mebibyte = 1024n * 1024n
const gibibyte = 1024n * mebibyte

/** Reasons for which the memory of a domain can not grow while the guest runs, in the order they are looked for. */
const obstacles: readonly [test: (domain: DomainSpec) => boolean, message: string][] = [
  [(domain) => domain.cpu?.realtime !== undefined, 'Memory hotplug is not compatible with realtime VMs'],
  [
    (domain) => domain.cpu?.numa?.guestMappingPassthrough !== undefined,
    'Memory hotplug is not compatible with guest mapping passthrough',
  ],
  [(domain) => domain.launchSecurity !== undefined, 'Memory hotplug is not compatible with encrypted VMs'],
]

/**
 * Says why `domain` can not have its memory raised up to `maxGuest` while it runs; undefined when it can.
 * Sizes must be multiples of 2Mi, or of 1Gi where the guest's memory is made of 1Gi pages.
 */
export function memoryHotplugObstacle(
  domain: DomainSpec,
  architecture: string | undefined,
  maxGuest: Quantity,
): string | undefined {
  const obstacle = obstacles.find(([test]) => test(domain))
  if (obstacle) return obstacle[1]
  if (domain.memory?.guest === undefined) return 'Guest memory must be configured when memory hotplug is enabled'
  const guest = parseQuantity(domain.memory.guest)
  const max = parseQuantity(maxGuest)
  if (guest > max) return `Guest memory (${domain.memory.guest}) is greater than the maximum of ${maxGuest}`
  const pageSize = domain.memory.hugepages?.pageSize
  const step = pageSize === '1Gi' ? gibibyte : 2n * mebibyte
  if (guest % step !== 0n || max % step !== 0n) {
    return `Guest memory must be ${step / mebibyte}Mi aligned; round guest and maxGuest to a multiple of it`
  }
  if (architecture !== 'amd64') return `Memory hotplug is only available for x86_64 VMs, this one is ${architecture}`
  if (guest < gibibyte) return 'Memory hotplug is only available for VMs with at least 1Gi of guest memory'
  return undefined
}
