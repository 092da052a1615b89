import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import { architectureOf } from './arch/architecture.ts'
import { balloon } from './compute/balloon.ts'
import { clock } from './compute/clock.ts'
import { consoles } from './compute/consoles.ts'
import { controllers } from './compute/controllers.ts'
import { cpu } from './compute/cpu.ts'
import { cpuPinning } from './compute/cpu-pinning.ts'
import {
  channels,
  clientPassthrough,
  inputs,
  panicDevices,
  rebootPolicy,
  rng,
  sound,
  tpm,
  vsock,
  watchdog,
} from './compute/devices.ts'
import { features } from './compute/features.ts'
import { hostDevices } from './compute/host-devices.ts'
import { identity } from './compute/identity.ts'
import { ignition } from './compute/ignition.ts'
import { launchSecurity } from './compute/launch-security.ts'
import { memory } from './compute/memory.ts'
import { os } from './compute/os.ts'
import { rootComplex } from './compute/root-complex.ts'
import { acpiTables, sysinfo } from './compute/sysinfo.ts'
import { uefi } from './compute/uefi.ts'
import type { Configurator } from './configurator.ts'
import type { ConverterContext } from './context.ts'
import { interfaces } from './network/interfaces.ts'
import { disks } from './storage/disks.ts'
import { filesystems } from './storage/filesystems.ts'
import { ioThreads } from './storage/io-threads.ts'

export type { ConverterContext, HostDeviceAddresses, Paths } from './context.ts'

const configurators: readonly Configurator[] = [
  identity,
  os,
  uefi,
  acpiTables,
  sysinfo,
  cpu,
  memory,
  features,
  clock,
  launchSecurity,
  rebootPolicy,
  interfaces,
  channels,
  hostDevices,
  disks,
  filesystems,
  inputs,
  consoles,
  controllers,
  ioThreads, // names threads in the drivers of disks and controllers
  cpuPinning, // pins the I/O threads
  balloon,
  watchdog,
  rng,
  tpm,
  sound,
  vsock,
  panicDevices,
  clientPassthrough,
  ignition,
  rootComplex, // gives addresses to the devices that have none
]

/**
 * The libvirt domain of a guest. Pure: the same VMI and context give the same domain, and nothing is looked up.
 * Throws `VirtError` for a guest that cannot be: a disk without a volume, a missing host device, no KVM.
 */
export function toDomain(vmi: VirtualMachineInstance, context: ConverterContext): DomainSpec {
  const domain: DomainSpec = { $type: '', name: '', memory: { _: '0' }, os: { type: { _: 'hvm' } }, devices: {} }
  const guest = { vmi, context, arch: architectureOf(context.architecture) }
  for (const configure of configurators) configure(domain, guest)
  return domain
}
