import type { DomainCpu, CpuTune, NumaTune, Vcpu, Vcpus } from './cpu.ts'
import type { Devices } from './devices.ts'
import type { DomainFeatures } from './features.ts'
import type { DomainMemory, MaxMemory, MemoryBacking } from './memory.ts'
import type { KubeVirtMetadata } from './metadata.ts'
import type { DomainOs, Sysinfo } from './os.ts'

/**
 * A libvirt domain. Keys are libvirt's element names; `$x` is the attribute x and `_` an element's text.
 * What libvirt knows and these types do not name survives reading, but cannot be written from typed code.
 */
export type DomainSpec = {
  $type: string
  '$xmlns:qemu'?: string
  $id?: string
  name: string
  uuid?: string
  memory: DomainMemory
  currentMemory?: DomainMemory
  maxMemory?: MaxMemory
  memoryBacking?: MemoryBacking
  os: DomainOs
  sysinfo?: Sysinfo
  devices: Devices
  metadata?: { kubevirt?: KubeVirtMetadata }
  features?: DomainFeatures
  cpu?: DomainCpu
  vcpu?: Vcpu
  vcpus?: Vcpus
  cputune?: CpuTune
  numatune?: NumaTune
  iothreads?: string | number
  clock?: Clock
  launchSecurity?: LaunchSecurity
  'qemu:commandline'?: { 'qemu:arg': { $value: string }[] }
  on_poweroff?: string
  on_reboot?: string
  on_crash?: string
}

export type Clock = {
  $offset?: string
  $timezone?: string
  $adjustment?: string
  timer?: Timer[]
}

export type Timer = {
  $name: string
  $tickpolicy?: string
  $present?: string
  $track?: string
  $frequency?: string
}

export type LaunchSecurity = {
  $type: string
  policy?: string
  cbitpos?: string
  reducedPhysBits?: string
  dhCert?: string
  session?: string
  quoteGenerationService?: { $path: string }
}
