import { canonicalQuantity } from '@kubevirt-ts/api'
import type { Quantity } from '@kubevirt-ts/api'
import type { Default } from './default.ts'

/** Amounts are stored as Kubernetes writes them: `0.5Gi` as `512Mi`. What is no amount is left for the rules to refuse. */
export const quantities: Default = ({ spec: { domain, volumes = [] } }) => {
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
