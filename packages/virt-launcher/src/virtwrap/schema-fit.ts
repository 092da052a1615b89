import type { Devices, DiskSource, DomainFilesystem, DomainSpec, HostDevice, Sysinfo } from '@kubevirt-ts/domain'

/**
 * The domain as libvirt's schema has it. KubeVirt's also says what libvirt's parser passes over: elements in which nothing
 * stands, and names beside paths.
 */
export function fitToSchema(domain: DomainSpec): DomainSpec {
  return { ...domain, sysinfo: domain.sysinfo && fitSysinfo(domain.sysinfo), devices: fitDevices(domain.devices) }
}

const fitSysinfo = ({ bios, baseBoard, chassis, ...sysinfo }: Sysinfo): Sysinfo => ({
  ...sysinfo,
  bios: bios?.entry && bios,
  baseBoard: baseBoard?.entry && baseBoard,
  chassis: chassis?.entry && chassis,
})

const fitDevices = ({ disk, filesystem, hostdev, ...devices }: Devices): Devices => ({
  ...devices,
  disk: disk?.map((each) => ({ ...each, source: fitSource(each.source) })),
  filesystem: filesystem?.map(fitFilesystem),
  hostdev: hostdev?.map(fitHostDevice),
})

const fitSource = ({ $name, ...source }: DiskSource): DiskSource =>
  source.$dev === undefined ? { ...source, $name } : source

const fitFilesystem = ({ source, ...filesystem }: DomainFilesystem): DomainFilesystem => ({
  ...filesystem,
  $accessMode: undefined,
  source: { ...source, $dir: source.$dir || undefined },
})

const fitHostDevice = ({ source: { address }, ...device }: HostDevice): HostDevice => ({
  $mode: 'subsystem',
  ...device,
  source: { address: address && { ...address, $type: undefined } },
})
