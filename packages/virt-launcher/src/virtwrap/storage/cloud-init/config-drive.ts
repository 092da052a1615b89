import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { CloudInitContent } from './content.ts'
import type { CloudInitData } from './data.ts'

export function configDriveMetaData(vmi: VirtualMachineInstance, data: CloudInitData): object {
  const { name, namespace, uid } = vmi.metadata
  return {
    instance_type: data.instanceType,
    instance_id: `${name}.${namespace}`,
    local_hostname: data.hostname,
    hostname: data.hostname,
    uuid: vmi.spec.domain.firmware?.uuid ?? uid,
    devices: taggedDevices(vmi),
    public_keys: Object.keys(data.publicKeys).length > 0 ? data.publicKeys : undefined,
  }
}

/** Files of a ConfigDrive disk, by path. */
export function configDriveFiles({
  ConfigDriveMetaData,
  UserData,
  NetworkData,
}: CloudInitContent): Record<string, string> {
  return {
    'openstack/latest/meta_data.json': JSON.stringify(ConfigDriveMetaData),
    'openstack/latest/user_data': UserData,
    ...(NetworkData === '' ? {} : { 'openstack/latest/network_data.json': NetworkData }),
  }
}

/** Devices that the user tagged, so that the guest can tell them apart. */
function taggedDevices({ spec }: VirtualMachineInstance) {
  const { interfaces = [], disks = [] } = spec.domain.devices
  const nics = interfaces.flatMap(({ tag, macAddress, pciAddress }) =>
    tag ? [{ type: 'nic', bus: 'pci', address: pciAddress, mac: macAddress, tags: [tag] }] : [],
  )
  const tagged = disks.flatMap(({ tag, serial, disk }) =>
    tag ? [{ type: 'disk', bus: disk?.bus, address: disk?.pciAddress, serial, tags: [tag] }] : [],
  )
  return nics.length + tagged.length > 0 ? [...nics, ...tagged] : undefined
}
