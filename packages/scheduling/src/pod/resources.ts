import type { Quantity } from '@kubevirt-ts/api'
import { milliOf, unitsOf } from './quantity.ts'

/** Amounts as the scheduler counts them: CPU in thousandths, memory and storage in bytes, others in whole units. */
export interface Resources {
  milliCpu: number
  memory: number
  ephemeralStorage: number
  /** Extended resources, huge pages, attachable volumes. */
  readonly scalars: Map<string, number>
}

export function noResources(): Resources {
  return { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map() }
}

export function resourcesOf(list: Readonly<Record<string, Quantity>> | undefined): Resources {
  const resources = noResources()
  for (const [name, quantity] of Object.entries(list ?? {})) addNamed(resources, name, quantity)
  return resources
}

function addNamed(resources: Resources, name: string, quantity: Quantity): void {
  if (name === 'cpu') resources.milliCpu = milliOf(quantity)
  else if (name === 'memory') resources.memory = unitsOf(quantity)
  else if (name === 'ephemeral-storage') resources.ephemeralStorage = unitsOf(quantity)
  else if (isScalarName(name)) resources.scalars.set(name, unitsOf(quantity))
}

/** Adds in place; `sign` -1 takes away. */
export function add(to: Resources, from: Resources, sign: 1 | -1 = 1): void {
  to.milliCpu += sign * from.milliCpu
  to.memory += sign * from.memory
  to.ephemeralStorage += sign * from.ephemeralStorage
  for (const [name, amount] of from.scalars) to.scalars.set(name, (to.scalars.get(name) ?? 0) + sign * amount)
}

/** Raises each amount to at least the other's. */
export function raiseTo(to: Resources, from: Resources): void {
  to.milliCpu = Math.max(to.milliCpu, from.milliCpu)
  to.memory = Math.max(to.memory, from.memory)
  to.ephemeralStorage = Math.max(to.ephemeralStorage, from.ephemeralStorage)
  for (const [name, amount] of from.scalars) to.scalars.set(name, Math.max(to.scalars.get(name) ?? 0, amount))
}

/** `cpu`, `memory`, `ephemeral-storage` or a scalar's name. */
export function amountOf(resources: Resources, name: string): number {
  if (name === 'cpu') return resources.milliCpu
  if (name === 'memory') return resources.memory
  return name === 'ephemeral-storage' ? resources.ephemeralStorage : (resources.scalars.get(name) ?? 0)
}

/** Resources that are counted in whole pieces, by Kubernetes' rules on names. */
export function isScalarName(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')
}

/** Resources that a cluster's administrator or a device plugin adds: a domain that is not Kubernetes' own. */
export function isExtendedName(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.')
}
