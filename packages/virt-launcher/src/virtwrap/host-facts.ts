import { existsSync } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DiskInfo, VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import { containerDisks, isHotplugVolume } from '@kubevirt-ts/vmispec'
import type { LauncherOptions } from '../options.ts'
import type { ConverterContext, Paths } from './converter/index.ts'
import { hostDeviceAddresses } from './host-device-addresses.ts'
import { readImageHeader } from './storage/image-header.ts'

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', s390x: 's390x' }

/** Looks up everything beside the VMI that its domain depends on. */
export async function gatherContext(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  { options, paths }: { options: LauncherOptions; paths: Paths },
): Promise<ConverterContext> {
  return {
    architecture: vmi.spec.architecture || architectures[process.arch]!,
    kvmAvailable: existsSync('/dev/kvm'),
    allowEmulation: options.allowEmulation,
    paths,
    smbios: told?.VirtualMachineSMBios ?? {
      manufacturer: 'KubeVirt',
      product: 'None',
      family: 'KubeVirt',
      sku: '',
      version: '',
    },
    memBalloonStatsPeriod: told?.MemBalloonStatsPeriod ?? 0,
    freePageReportingDisabled: told?.clusterConfig?.FreePageReportingDisabled ?? false,
    bochsDisplayForEfiGuests: told?.clusterConfig?.BochsDisplayForEFIGuests ?? true,
    serialConsoleLogDisabled: told?.clusterConfig?.SerialConsoleLogDisabled ?? false,
    preallocatedVolumes: told?.PreallocatedVolumes ?? [],
    blockVolumes: await blockVolumes(vmi, paths),
    disksInfo: { ...(await imageFacts(vmi, paths)), ...told?.DisksInfo },
    interfaceAttachment: told?.interfaceDomainAttachment ?? {},
    cpuSet: await allowedCpus(),
    topology: told?.topology,
    firmware: { folder: options.ovmfPath, files: new Set(await readdir(options.ovmfPath).catch(() => [])) },
    hostDevices: hostDeviceAddresses(vmi, process.env),
  }
}

async function blockVolumes(vmi: VirtualMachineInstance, { hotplugDisks }: Paths): Promise<ReadonlySet<string>> {
  const block = new Set<string>()
  for (const volume of vmi.spec.volumes ?? []) {
    if (!(volume.persistentVolumeClaim ?? volume.dataVolume ?? volume.ephemeral)) continue
    const folder = isHotplugVolume(volume) ? hotplugDisks : '/dev'
    const device = await stat(`${folder}/${volume.name}`).catch(() => undefined)
    if (device?.isBlockDevice()) block.add(volume.name)
  }
  return block
}

async function imageFacts(vmi: VirtualMachineInstance, paths: Paths): Promise<Record<string, DiskInfo>> {
  const facts: Record<string, DiskInfo> = {}
  for (const { name, index } of containerDisks(vmi.spec))
    facts[name] = { backingFile: '', ...(await readImageHeader(`${paths.containerDisks}/disk_${index}.img`)) }
  return facts
}

/** The CPUs that the pod's processes may run on: `Cpus_allowed_list: 0-3,8` of this process. */
async function allowedCpus(): Promise<number[]> {
  const status = await readFile('/proc/self/status', 'utf8')
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
