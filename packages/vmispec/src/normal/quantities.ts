import { canonicalQuantity } from '@kubevirt-ts/api'
import type { Quantity, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/**
 * Writes the amounts in `spec`, which the caller owns, as Kubernetes does: `0.5Gi` as `512Mi`. What is no amount is left
 * for the rules to refuse.
 */
export function canonicalQuantities({ domain, volumes = [] }: VirtualMachineInstanceSpec): void {
  const { memory, resources } = domain
  for (const amounts of [resources?.requests, resources?.limits]) {
    for (const name of Object.keys(amounts ?? {})) rewrite(amounts!, name)
  }
  rewrite(memory, 'guest')
  rewrite(memory, 'maxGuest')
  rewrite(memory?.reservedOverhead, 'addedOverhead')
  for (const { emptyDisk, hostDisk } of volumes) {
    rewrite(emptyDisk, 'capacity')
    rewrite(hostDisk, 'capacity')
  }
}

function rewrite<K extends string>(owner: { [key in K]?: Quantity } | undefined, key: K): void {
  const amount = owner?.[key]
  if (owner === undefined || amount === undefined) return
  try {
    owner[key] = canonicalQuantity(amount)
  } catch {
    // Not an amount at all.
  }
}
