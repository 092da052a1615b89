import type { MediatedDevice } from '../permitted/mediated.ts'
import type { DesiredTypes } from './desired.ts'

/** A type of which a device of the host can make parts. */
export interface SupportedType {
  readonly parent: string
  readonly typeId: string
  readonly typeName: string
  /** How many more can be made. */
  readonly available: number
}

export interface Creation {
  readonly parent: string
  readonly typeId: string
  readonly count: number
}

interface Existing {
  readonly devices: readonly MediatedDevice[]
  /** UUIDs of those that virt-handler made. */
  readonly made: ReadonlySet<string>
  /** IOMMU groups that a process has open. */
  readonly inUse: ReadonlySet<string>
}

/**
 * Devices of types that are not desired. What others made goes only where types are desired, as it takes their place;
 * what a guest has stays until it has ended.
 */
export function devicesToRemove({ make, leave }: DesiredTypes, { devices, made, inUse }: Existing): MediatedDevice[] {
  return devices.filter(
    (device) =>
      !isOf(device, [...make, ...leave]) &&
      (make.length > 0 || made.has(device.uuid)) &&
      !(device.iommuGroup !== undefined && inUse.has(device.iommuGroup)),
  )
}

/**
 * Fills parents that have no device yet, each with one type: a card gives parts of one size only. The desired types
 * take turns, so that each has its share of the cards.
 */
export function devicesToCreate(
  { make }: DesiredTypes,
  devices: readonly MediatedDevice[],
  supported: readonly SupportedType[],
): Creation[] {
  const busy = new Set(devices.map(({ parent }) => parent))
  const creations: Creation[] = []
  for (let isDone = false; !isDone;) {
    isDone = true
    for (const type of make) {
      const place = supported.find((each) => isOf(each, [type]) && each.available > 0 && !busy.has(each.parent))
      if (place === undefined) continue
      busy.add(place.parent)
      creations.push({ parent: place.parent, typeId: place.typeId, count: place.available })
      isDone = false
    }
  }
  return creations
}

const isOf = ({ typeId, typeName }: Pick<SupportedType, 'typeId' | 'typeName'>, types: readonly string[]): boolean =>
  types.includes(typeName) || types.includes(typeId)
