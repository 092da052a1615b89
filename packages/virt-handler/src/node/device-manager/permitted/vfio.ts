import type { PermittedUnit } from './selection.ts'

/** What the kernel gives out as a whole: an IOMMU group, with the address of a device in it. */
export interface VfioDevice {
  readonly address: string
  readonly iommuGroup: string
  readonly numaNode: number | undefined
}

/**
 * One unit for each IOMMU group, as only one guest can have it. Of several devices of a resource in one group the first
 * is given.
 */
export function vfioUnits(devices: readonly VfioDevice[]): { units: PermittedUnit[]; problems: string[] } {
  const units = new Map<string, PermittedUnit>()
  const problems: string[] = []
  for (const { address, iommuGroup, numaNode } of devices) {
    const taken = units.get(iommuGroup)
    if (taken !== undefined) {
      problems.push(`${address} shares IOMMU group ${iommuGroup} with ${taken.addresses[0]} and is given to nobody`)
      continue
    }
    const nodes = [`/dev/vfio/${iommuGroup}`]
    const place = numaNode === undefined ? {} : { numaNode }
    units.set(iommuGroup, { id: iommuGroup, addresses: [address], nodes, shared: ['/dev/vfio/vfio'], ...place })
  }
  return { units: [...units.values()], problems }
}
