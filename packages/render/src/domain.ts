import { parseQuantity } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim, VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { domainXml } from '@kubevirt-ts/virt-launcher/render'
import type { ConverterContext } from '@kubevirt-ts/virt-launcher/render'
import { hostDevicesFor } from './host-devices.ts'
import type { World } from './world.ts'

/** The libvirt domain of a VMI as XML. Throws with words for the user where there is none. */
export async function domainOf(vmi: VirtualMachineInstance, world: World): Promise<string> {
  return `${domainXml(onNode(vmi, world), await converterContext(vmi, world))}\n`
}

/** The VMI as the node agent hands it over: with the status that it has by then, and a UID only in the paths. */
function onNode(vmi: VirtualMachineInstance, { context }: World): VirtualMachineInstance {
  const { devices } = vmi.spec.domain
  const interfaces = (devices.interfaces ?? [])
    .filter(({ passtBinding }) => passtBinding)
    .map(({ name }) => ({ name, podInterfaceName: 'eth0' }))
  const status = { ...vmi.status, interfaces, ...(devices.autoattachVSOCK && { VSOCKCID: context.host.vsockCid }) }
  const spec = { ...vmi.spec, volumes: vmi.spec.volumes?.map(fixed) }
  return { ...vmi, metadata: { ...vmi.metadata, uid: '' }, spec, status } as VirtualMachineInstance
}

/** The volume as one of a guest without a status of volumes, in which none counts as plugged in. */
function fixed(volume: Volume): Volume {
  const { persistentVolumeClaim, dataVolume } = volume
  if (persistentVolumeClaim)
    return { ...volume, persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: false } }
  return dataVolume ? { ...volume, dataVolume: { ...dataVolume, hotpluggable: false } } : volume
}

async function converterContext(vmi: VirtualMachineInstance, world: World): Promise<ConverterContext> {
  const { configuration, context } = world
  const architecture = vmi.spec.architecture || context.clusterArchitecture
  const emulates = configuration.developerConfiguration?.useEmulation === true
  const { smbios = {}, virtualMachineOptions, memBalloonStatsPeriod = balloonStatsSeconds } = configuration
  const { containerDisk, firmware } = context.host
  const uefi = firmware[architecture] ?? firmware['amd64']
  return {
    architecture,
    kvmAvailable: !emulates,
    allowEmulation: emulates,
    paths: paths(vmi, world),
    smbios: { ...product, ...smbios },
    memBalloonStatsPeriod,
    freePageReportingDisabled: virtualMachineOptions?.disableFreePageReporting !== undefined,
    serialConsoleLogDisabled: virtualMachineOptions?.disableSerialConsoleLog !== undefined,
    bochsDisplayForEfiGuests: true,
    preallocatedVolumes: [],
    blockVolumes: blockVolumes(vmi, world),
    disksInfo: Object.fromEntries(
      (vmi.spec.volumes ?? []).map(({ name }) => [
        name,
        {
          format: containerDisk.format,
          backingFile: '',
          actualSize: BigInt(containerDisk.actualSize),
          virtualSize: BigInt(containerDisk.virtualSize),
        },
      ]),
    ),
    interfaceAttachment: attachments(vmi, world),
    cpuSet: await cpuSet(vmi, world),
    topology: {
      numaCells: context.host.numaCells.map(({ id, cpus }) => ({
        id,
        pages: [],
        distances: [{ id, value: 10n }],
        cpus: cpus.map((cpu) => ({ id: cpu, siblings: [cpu] })),
      })),
    },
    firmware: { folder: uefi?.folder ?? '', files: new Set(uefi?.files) },
    hostDevices: hostDevicesFor(vmi, configuration),
  }
}

const balloonStatsSeconds = 10
const product = { manufacturer: 'KubeVirt', product: 'None', version: '', sku: '', family: 'KubeVirt' }
const privateFolder = '/var/run/kubevirt-private'

function paths({ metadata, status }: VirtualMachineInstance, { context }: World): ConverterContext['paths'] {
  const { shareDir, containerDiskDir, ephemeralDiskDir, hotplugDiskDir } = context.launcher
  return {
    consoles: `${privateFolder}/${metadata.uid}`,
    containerDisks: containerDiskDir,
    ephemeralDisks: ephemeralDiskDir,
    emptyDisks: '/var/run/libvirt/empty-disks',
    cloudInit: `/var/run/libvirt/cloud-init-dir/${metadata.namespace}/${metadata.name}`,
    ignition: `/var/run/libvirt/ignition-dir/${metadata.namespace}/${metadata.name}`,
    vmiDisks: `${privateFolder}/vmi-disks`,
    hotplugDisks: hotplugDiskDir,
    private: privateFolder,
    nvram: status?.runtimeUser === 0 ? '/var/lib/libvirt/qemu/nvram' : `${privateFolder}/libvirt/qemu/nvram`,
    virtiofs: `${shareDir}/virtiofs-containers`,
    share: shareDir,
  }
}

/** A volume is a device when its claim says so; a claim that is not known is a folder. */
function blockVolumes(vmi: VirtualMachineInstance, { objects, context }: World): ReadonlySet<string> {
  const namespace = vmi.metadata.namespace ?? context.namespace
  const isBlock = (name: string | undefined) => {
    const claim = name && objects.find({ kind: 'PersistentVolumeClaim', name, namespace })
    return claim && (claim as PersistentVolumeClaim).spec?.volumeMode === 'Block'
  }
  const block = (vmi.spec.volumes ?? []).filter(({ persistentVolumeClaim, dataVolume, ephemeral }) =>
    isBlock(persistentVolumeClaim?.claimName ?? dataVolume?.name ?? ephemeral?.persistentVolumeClaim?.claimName),
  )
  return new Set(block.map(({ name }) => name))
}

/** A tap device for each interface, but what its plugin says for one that is bound by a plugin. */
function attachments(vmi: VirtualMachineInstance, { configuration }: World): Record<string, string> {
  const plugins = configuration.network?.binding ?? {}
  const types = (vmi.spec.domain.devices.interfaces ?? []).flatMap(({ name, binding }) => {
    const type = binding ? plugins[binding.name]?.domainAttachmentType : 'tap'
    return type ? [[name, type] as const] : []
  })
  return Object.fromEntries(types)
}

/** The CPUs 0, 1, … that the pod has for itself; they are as many as its limit says. */
async function cpuSet(vmi: VirtualMachineInstance, world: World): Promise<number[]> {
  if (!vmi.spec.domain.cpu?.dedicatedCpuPlacement) return []
  const { podOf } = await import('./pod.ts')
  const compute = podOf(vmi, world).spec.containers.find(({ name }) => name === 'compute')
  const limit = compute?.resources?.limits?.['cpu'] ?? 0
  return Array.from({ length: Number(parseQuantity(limit)) }, (_, cpu) => cpu)
}
