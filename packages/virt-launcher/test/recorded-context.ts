import type { KubeVirtConfiguration, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { ConverterContext, HostDeviceAddresses } from '../src/virtwrap/converter/index.ts'

export type RecordedCase = {
  readonly vmi: VirtualMachineInstance
  readonly configuration: KubeVirtConfiguration
  readonly blockClaims: readonly string[]
  readonly cpuLimit?: string
}

const firmwareFiles =
  'OVMF_CODE.fd OVMF_VARS.fd OVMF_CODE.secboot.fd OVMF_VARS.secboot.fd OVMF_CODE.cc.fd OVMF.amdsev.fd OVMF.inteltdx.fd OVMF.inteltdx.secboot.fd AAVMF_CODE.fd AAVMF_VARS.fd'

/** The host that the recorded answers were made for. */
export function recordedContext({ vmi, configuration, blockClaims, cpuLimit }: RecordedCase): ConverterContext {
  const emulates = configuration.developerConfiguration?.useEmulation === true
  const { smbios, virtualMachineOptions } = configuration
  const architecture = vmi.spec.architecture ?? 'amd64'
  return {
    architecture,
    kvmAvailable: !emulates,
    allowEmulation: emulates,
    paths: paths(vmi),
    smbios: {
      manufacturer: smbios?.manufacturer ?? 'KubeVirt',
      product: smbios?.product ?? 'None',
      version: smbios?.version ?? '',
      sku: smbios?.sku ?? '',
      family: smbios?.family ?? 'KubeVirt',
    },
    memBalloonStatsPeriod: 10,
    freePageReportingDisabled: virtualMachineOptions?.disableFreePageReporting !== undefined,
    serialConsoleLogDisabled: virtualMachineOptions?.disableSerialConsoleLog !== undefined,
    bochsDisplayForEfiGuests: true,
    preallocatedVolumes: [],
    blockVolumes: blockVolumes(vmi, new Set(blockClaims)),
    disksInfo: Object.fromEntries(
      (vmi.spec.volumes ?? []).map(({ name }) => [
        name,
        { format: 'qcow2', backingFile: '', actualSize: 268_435_456n, virtualSize: 1_073_741_824n },
      ]),
    ),
    interfaceAttachment: attachments(vmi, configuration),
    cpuSet: Array.from({ length: Number(cpuLimit ?? 0) }, (_, cpu) => cpu),
    topology: {
      numaCells: [
        {
          id: 0,
          pages: [],
          distances: [{ id: 0, value: 10n }],
          cpus: Array.from({ length: 32 }, (_, id) => ({ id, siblings: [id] })),
        },
      ],
    },
    firmware: {
      folder: architecture === 'arm64' ? '/usr/share/AAVMF' : '/usr/share/OVMF',
      files: new Set(firmwareFiles.split(' ')),
    },
    hostDevices: hostDevices(vmi, configuration),
  }
}

/** The VMI as the node agent handed it over: with the status that it had by then. */
export function recordedVmi({ vmi }: RecordedCase): VirtualMachineInstance {
  const passt = (vmi.spec.domain.devices.interfaces ?? []).filter(({ passtBinding }) => passtBinding)
  const interfaces = passt.map(({ name }) => ({ name, podInterfaceName: 'eth0' }))
  return { ...vmi, status: { ...vmi.status, VSOCKCID: 3, interfaces } }
}

function paths({ metadata }: VirtualMachineInstance): ConverterContext['paths'] {
  const privateFolder = '/var/run/kubevirt-private'
  const share = '/var/run/kubevirt'
  return {
    consoles: `${privateFolder}/${metadata.uid}`,
    containerDisks: `${share}/container-disks`,
    ephemeralDisks: '/var/run/kubevirt-ephemeral-disks',
    emptyDisks: '/var/run/libvirt/empty-disks',
    cloudInit: `/var/run/libvirt/cloud-init-dir/${metadata.namespace}/${metadata.name}`,
    ignition: `/var/run/libvirt/ignition-dir/${metadata.namespace}/${metadata.name}`,
    vmiDisks: `${privateFolder}/vmi-disks`,
    hotplugDisks: `${share}/hotplug-disks`,
    private: privateFolder,
    nvram: `${privateFolder}/libvirt/qemu/nvram`,
    virtiofs: `${share}/virtiofs-containers`,
    share,
  }
}

function blockVolumes(vmi: VirtualMachineInstance, claims: ReadonlySet<string>): ReadonlySet<string> {
  const block = (vmi.spec.volumes ?? []).filter(({ persistentVolumeClaim, dataVolume, ephemeral }) =>
    claims.has(
      persistentVolumeClaim?.claimName ?? dataVolume?.name ?? ephemeral?.persistentVolumeClaim?.claimName ?? '',
    ),
  )
  return new Set(block.map(({ name }) => name))
}

function attachments(vmi: VirtualMachineInstance, { network }: KubeVirtConfiguration): Record<string, string> {
  const plugins = network?.binding ?? {}
  return Object.fromEntries(
    (vmi.spec.domain.devices.interfaces ?? []).flatMap(({ name, binding }) => {
      const type = binding ? plugins[binding.name]?.domainAttachmentType : 'tap'
      return type ? [[name, type] as const] : []
    }),
  )
}

/** Each resource has a bus of its own from 0x81 on, and its devices are slots 1, 2, … of it. */
function hostDevices(
  vmi: VirtualMachineInstance,
  { permittedHostDevices }: KubeVirtConfiguration,
): HostDeviceAddresses {
  let bus = 0x81
  const address = (onBus: number, slot: number) => `0000:${onBus.toString(16)}:${slot.toString(16).padStart(2, '0')}.0`
  const sriov = (vmi.spec.domain.devices.interfaces ?? []).filter((iface) => iface.sriov)
  const functions = Object.fromEntries(sriov.map(({ name }) => [name, address(bus++, 1)]))

  const { hostDevices: others = [], gpus = [] } = vmi.spec.domain.devices
  const used = [...others, ...gpus].flatMap(({ deviceName }) => deviceName ?? [])
  const permitted = new Set(permittedHostDevices?.pciHostDevices?.map(({ resourceName }) => resourceName))
  const pci: Record<string, string[]> = {}
  for (const resource of new Set(used.filter((name) => permitted.has(name)))) {
    const onBus = bus++
    const count = used.filter((name) => name === resource).length
    pci[resource] = Array.from({ length: count }, (_, index) => address(onBus, index + 1))
  }
  const usb = permittedHostDevices?.usb?.map(({ resourceName }) => [resourceName, ['1:2', '1:3']] as const) ?? []
  return { pci, mdev: {}, usb: Object.fromEntries(usb), sriov: functions }
}
