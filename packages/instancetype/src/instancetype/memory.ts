import { formatQuantity, parseQuantity } from '@kubevirt-ts/api'
import type { Memory, Quantity, VirtualMachineInstancetypeSpec } from '@kubevirt-ts/api'
import type { Draft } from '../draft.ts'

const path = 'spec.template.spec.domain'

/** Memory of the guest, and what of it is requested where the instance type overcommits. */
export function applyMemory({ spec: { domain } }: Draft, { memory }: VirtualMachineInstancetypeSpec): string[] {
  const { guest, hugepages, maxGuest, overcommitPercent = 0 } = memory
  const own: Memory = domain.memory ?? {}
  const set: Partial<Memory> = {
    guest,
    ...(hugepages === undefined ? {} : { hugepages }),
    ...(maxGuest === undefined ? {} : { maxGuest }),
  }
  const taken = (Object.keys(set) as (keyof Memory)[]).filter((name) => own[name] !== undefined)
  const amounts = (['requests', 'limits'] as const).filter((name) => domain.resources?.[name]?.['memory'] !== undefined)
  const conflicts = [
    ...taken.map((name) => `${path}.memory.${name}`),
    ...amounts.map((name) => `${path}.resources.${name}.memory`),
  ]
  if (conflicts.length > 0) return conflicts
  domain.memory = { ...own, ...structuredClone(set) }
  if (overcommitPercent > 0) {
    const requests = { ...domain.resources?.requests, memory: reduced(guest, overcommitPercent) }
    domain.resources = { ...domain.resources, requests }
  }
  return []
}

function reduced(guest: Quantity, percent: number): Quantity {
  return formatQuantity((parseQuantity(guest) * BigInt(100 - percent)) / 100n)
}
