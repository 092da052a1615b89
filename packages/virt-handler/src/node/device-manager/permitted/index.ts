import type { PermittedHostDevices } from '@kubevirt-ts/api'
import { devicePermissions, ownResources } from '../device-nodes.ts'
import type { PluginDevice, PluginUnit } from '../plugin-device.ts'
import { type MediatedDevice, mediatedDevices, permittedMediated } from './mediated.ts'
import { type PciDevice, pciDevices, permittedPci } from './pci.ts'
import { isExtendedResource, pluginName } from './resource-name.ts'
import type { PermittedResource, PermittedUnit } from './selection.ts'
import { permittedUsb, type UsbDevice, usbDevices } from './usb.ts'

/** The devices of a host that the KubeVirt resource may permit. */
export interface HostDevices {
  readonly pci: readonly PciDevice[]
  readonly mediated: readonly MediatedDevice[]
  readonly usb: readonly UsbDevice[]
}

/** Reads the host's devices where something is permitted. */
export async function hostDevices(
  sysfs: string,
  { pciHostDevices, mediatedDevices: mediated, usb }: PermittedHostDevices,
): Promise<HostDevices> {
  return {
    pci: pciHostDevices?.length ? await pciDevices(sysfs) : [],
    mediated: mediated?.length ? await mediatedDevices(sysfs) : [],
    usb: usb?.length ? await usbDevices(sysfs) : [],
  }
}

export interface Permitted {
  readonly devices: readonly PluginDevice[]
  /** What of the permission cannot be followed, each a sentence. */
  readonly problems: readonly string[]
}

/** What this node offers of the permitted devices. `hostRoot` is where the host's files are seen. */
export function permittedDevices(permitted: PermittedHostDevices, host: HostDevices, hostRoot: string): Permitted {
  const selections = [
    permittedPci(permitted.pciHostDevices ?? [], host.pci),
    permittedMediated(permitted.mediatedDevices ?? [], host.mediated),
    permittedUsb(permitted.usb ?? [], host.usb),
  ]
  const problems = selections.flatMap((each) => each.problems)
  const taken = new Set<string>()
  const devices: PluginDevice[] = []
  for (const resource of selections.flatMap(({ resources }) => resources)) {
    const { resourceName } = resource
    if (!isExtendedResource(resourceName)) problems.push(`${resourceName} cannot be the name of a resource`)
    else if (ownResources.has(resourceName)) problems.push(`${resourceName} is a resource of the nodes themselves`)
    else if (taken.has(resourceName)) problems.push(`${resourceName} is of two kinds of devices; the first counts`)
    else devices.push(pluginDevice(resource, hostRoot))
    taken.add(resourceName)
  }
  return { devices, problems }
}

function pluginDevice({ resourceName, variable, units }: PermittedResource, hostRoot: string): PluginDevice {
  const byId = new Map(units.map((unit) => [unit.id, unit]))
  const given = (chosen: readonly PluginUnit[]): PermittedUnit[] => chosen.flatMap(({ id }) => byId.get(id) ?? [])
  return {
    name: pluginName(resourceName),
    resourceName,
    units: units.map(({ id, nodes, numaNode }) => ({
      id,
      files: nodes.map((node) => `${hostRoot}${node}`),
      ...(numaNode === undefined ? {} : { numaNode }),
    })),
    allocate(chosen) {
      const those = given(chosen)
      const nodes = new Set([...those.flatMap(({ shared }) => shared), ...those.flatMap((each) => each.nodes)])
      const permissions = devicePermissions()
      return {
        envs: { [variable]: those.flatMap(({ addresses }) => addresses).join(',') },
        devices: [...nodes].map((node) => ({ containerPath: node, hostPath: node, permissions })),
      }
    },
  }
}
