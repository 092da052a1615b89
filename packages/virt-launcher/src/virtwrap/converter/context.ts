import type { DiskInfo, SMBios, Topology } from '@kubevirt-ts/handler-launcher-com'

/** Where the launcher keeps a guest's files; each path is absolute. */
export type Paths = {
  /** Sockets of the guest's console and display: `<private>/<vmi uid>`. */
  readonly consoles: string
  readonly containerDisks: string
  readonly ephemeralDisks: string
  readonly emptyDisks: string
  /** Folder of the guest's cloud-init images. */
  readonly cloudInit: string
  /** Folder of the guest's ignition file. */
  readonly ignition: string
  readonly vmiDisks: string
  readonly hotplugDisks: string
  readonly private: string
  readonly nvram: string
  readonly virtiofs: string
  readonly share: string
}

/** Addresses of host devices that the node handed to this pod, by resource name, used up in order. */
export type HostDeviceAddresses = {
  readonly pci: Readonly<Record<string, readonly string[]>>
  readonly mdev: Readonly<Record<string, readonly string[]>>
  readonly usb: Readonly<Record<string, readonly string[]>>
  /** Whether the USB devices get a controller; the recorded conversions ran in no pod, which says that there are any. */
  readonly usbController?: boolean
  /** By interface name. */
  readonly sriov: Readonly<Record<string, string>>
}

/** Everything beside the VMI that the domain depends on. Gathered before, so that the conversion is pure. */
export type ConverterContext = {
  readonly architecture: string
  /** Whether this pod has /dev/kvm. */
  readonly kvmAvailable: boolean
  readonly allowEmulation: boolean
  readonly paths: Paths
  readonly smbios?: SMBios
  /** Seconds between two balloon statistics; 0 turns them off. */
  readonly memBalloonStatsPeriod: number
  readonly freePageReportingDisabled: boolean
  readonly bochsDisplayForEfiGuests: boolean
  readonly serialConsoleLogDisabled: boolean
  readonly preallocatedVolumes: readonly string[]
  /** Names of volumes whose claim is a block device. */
  readonly blockVolumes: ReadonlySet<string>
  /** Image facts by volume name. */
  readonly disksInfo: Readonly<Record<string, DiskInfo>>
  /** How each interface is attached: tap, managedTap or what a binding plugin says. */
  readonly interfaceAttachment: Readonly<Record<string, string>>
  /** The host's CPUs that this pod may use, in ascending order; counts for guests with dedicated CPUs. */
  readonly cpuSet: readonly number[]
  readonly topology?: Topology
  /** Folder with the UEFI images and the files in it. */
  readonly firmware: { readonly folder: string; readonly files: ReadonlySet<string> }
  readonly hostDevices: HostDeviceAddresses
}
