import type { MediatedHostDevice } from '@kubevirt-ts/api'
import { hostDeviceVariable } from '@kubevirt-ts/vmispec'
import { grouped, type Selection, selectors } from './selection.ts'
import { attribute, entries, linkName, linkParent, numaNode } from './sysfs.ts'
import { vfioUnits } from './vfio.ts'

export interface MediatedDevice {
  readonly uuid: string
  /** The type's identifier, such as nvidia-222. */
  readonly typeId: string
  /** Its name with _ for each space, such as GRID_T4-1Q; the identifier where the driver gives none. */
  readonly typeName: string
  /** The device that it is a part of. */
  readonly parent: string
  readonly iommuGroup: string | undefined
  readonly numaNode: number | undefined
}

/** The mediated devices of the host, in the order of their UUIDs. */
export async function mediatedDevices(sysfs: string): Promise<MediatedDevice[]> {
  const folder = `${sysfs}/bus/mdev/devices`
  const devices = await Promise.all(
    (await entries(folder)).map(async (uuid): Promise<MediatedDevice[]> => {
      const device = `${folder}/${uuid}`
      const typeId = await linkName(`${device}/mdev_type`)
      const parent = await linkParent(device)
      if (typeId === undefined || parent === undefined) return []
      const typeName = mediatedTypeName((await attribute(`${device}/mdev_type/name`)) ?? typeId)
      const iommuGroup = await linkName(`${device}/iommu_group`)
      // The device is a link into its parent's folder, which says where that is.
      return [{ uuid, typeId, typeName, parent, iommuGroup, numaNode: await numaNode(`${device}/..`) }]
    }),
  )
  return devices.flat()
}

/** How a type is called in the KubeVirt resource, where spaces are written as either. */
export const mediatedTypeName = (name: string): string => name.trim().replaceAll(' ', '_')

/** Those that the KubeVirt resource permits. */
export function permittedMediated(
  permitted: readonly MediatedHostDevice[],
  devices: readonly MediatedDevice[],
): Selection {
  const { bySelector, problems } = selectors(
    permitted.filter(({ externalResourceProvider }) => !externalResourceProvider),
    ({ mdevNameSelector }) => mediatedTypeName(mdevNameSelector),
  )
  const found = devices.flatMap(({ uuid: address, typeName, iommuGroup, numaNode: node }) => {
    const resource = bySelector.get(typeName)
    if (resource === undefined || iommuGroup === undefined) return []
    return [[resource, { address, iommuGroup, numaNode: node }] as const]
  })
  const chosen = [...grouped(found)].map(([resourceName, group]) => ({ resourceName, ...vfioUnits(group) }))
  return {
    resources: chosen.map(({ resourceName, units }) => {
      return { resourceName, variable: hostDeviceVariable('MDEV_PCI_RESOURCE', resourceName), units }
    }),
    problems: [...problems, ...chosen.flatMap((each) => each.problems)],
  }
}
