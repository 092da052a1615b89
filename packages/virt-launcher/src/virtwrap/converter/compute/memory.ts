import { parseQuantity, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { guestMemory } from '@kubevirt-ts/vmispec'
import type { Configurator, Guest } from '../configurator.ts'
import { vcpuCount } from './cpu.ts'

/** Size of the guest's memory, how it may grow, and what it is made of on the host. */
export const memory: Configurator = (domain, guest) => {
  const { vmi } = guest
  const bytes = guestMemory(vmi.spec) ?? 0n
  domain.memory = { $unit: 'b', _: String(bytes) }

  const { maxGuest } = vmi.spec.domain.memory ?? {}
  const most = maxGuest === undefined ? undefined : parseQuantity(maxGuest)
  if (most !== undefined && most !== bytes) domain.maxMemory = { $unit: 'b', $slots: '0', _: String(most) }

  const shared = isShared(vmi)
  const huge = vmi.spec.domain.memory?.hugepages !== undefined && wantsMemfd(vmi)
  if (vmi.spec.domain.memory?.hugepages || shared)
    domain.memoryBacking = {
      hugepages: vmi.spec.domain.memory?.hugepages && {},
      source: shared || huge ? { $type: 'memfd' } : undefined,
      access: shared ? { $mode: 'shared' } : undefined,
    }
  if (vmi.spec.domain.cpu?.realtime) domain.memoryBacking = { ...domain.memoryBacking, nosharepages: {} }
  if (shared || huge) domain.cpu = { ...domain.cpu, numa: { cell: [wholeGuest(guest, bytes)] } }
}

/** Another process reads and writes the guest's memory: a virtiofs daemon or passt. */
function isShared(vmi: VirtualMachineInstance): boolean {
  const { filesystems, interfaces } = vmi.spec.domain.devices
  return Boolean(filesystems?.some(({ virtiofs }) => virtiofs) || interfaces?.some(({ passtBinding }) => passtBinding))
}

function wantsMemfd(vmi: VirtualMachineInstance): boolean {
  return vmi.metadata.annotations?.['kubevirt.io/memfd'] !== 'false'
}

// Only memory of a NUMA cell can be backed by a file descriptor.
function wholeGuest(guest: Guest, bytes: bigint) {
  const count = vcpuCount(guest)
  return { $id: '0', $cpus: `0-${count - 1}`, $memory: String(bytes / 1024n), $unit: 'KiB' }
}
