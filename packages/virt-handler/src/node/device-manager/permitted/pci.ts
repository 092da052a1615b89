import type { PciHostDevice } from '@kubevirt-ts/api'
import { hostDeviceVariable } from '@kubevirt-ts/vmispec'
import { grouped, type Selection, selectors } from './selection.ts'
import { attribute, entries, linkName, numaNode } from './sysfs.ts'
import { vfioUnits } from './vfio.ts'

export interface PciDevice {
  readonly address: string
  /** `vendor:device` in small hexadecimal digits. */
  readonly id: string
  readonly driver: string | undefined
  readonly iommuGroup: string | undefined
  readonly numaNode: number | undefined
}

/** The PCI devices of the host, in the order of their addresses. */
export async function pciDevices(sysfs: string): Promise<PciDevice[]> {
  const folder = `${sysfs}/bus/pci/devices`
  return Promise.all(
    (await entries(folder)).map(async (address) => {
      const device = `${folder}/${address}`
      const [vendor = '', product = ''] = await Promise.all([
        attribute(`${device}/vendor`),
        attribute(`${device}/device`),
      ])
      return {
        address,
        id: `${vendor}:${product}`.replaceAll('0x', '').toLowerCase(),
        driver: await linkName(`${device}/driver`),
        iommuGroup: await linkName(`${device}/iommu_group`),
        numaNode: await numaNode(device),
      }
    }),
  )
}

/** Those that the KubeVirt resource permits. A device of the host's own driver is the host's: it needs vfio-pci. */
export function permittedPci(permitted: readonly PciHostDevice[], devices: readonly PciDevice[]): Selection {
  const own = permitted.filter(({ externalResourceProvider }) => !externalResourceProvider)
  const wrong = own.filter(({ pciVendorSelector }) => !isSelector(pciVendorSelector))
  const { bySelector, problems } = selectors(
    own.filter((entry) => !wrong.includes(entry)),
    ({ pciVendorSelector }) => pciVendorSelector.trim().toLowerCase(),
  )
  const found = devices.flatMap(({ id, driver, iommuGroup, ...device }) => {
    const resource = bySelector.get(id)
    if (resource === undefined || driver !== 'vfio-pci' || iommuGroup === undefined) return []
    return [[resource, { ...device, iommuGroup }] as const]
  })
  const chosen = [...grouped(found)].map(([resourceName, group]) => ({ resourceName, ...vfioUnits(group) }))
  return {
    resources: chosen.map(({ resourceName, units }) => {
      return { resourceName, variable: hostDeviceVariable('PCI_RESOURCE', resourceName), units }
    }),
    problems: [
      ...wrong.map((each) => `${each.resourceName}: "${each.pciVendorSelector}" is no VENDOR:DEVICE such as 10DE:1EB8`),
      ...problems,
      ...chosen.flatMap((each) => each.problems),
    ],
  }
}

const isSelector = (text: string): boolean => /^[\da-f]{4}:[\da-f]{4}$/i.test(text.trim())
