import { parseQuantity, type Disk, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Configurator } from '../configurator.ts'

/** Threads of QEMU that serve virtio disks. After the disks, whose drivers name their thread. */
export const ioThreads: Configurator = (domain, { vmi }) => {
  const { ioThreadsPolicy, ioThreads: pool, devices } = vmi.spec.domain
  const disks = devices.disks ?? []
  const dedicated = disks.filter(({ dedicatedIOThread }) => dedicatedIOThread)
  if (!ioThreadsPolicy && dedicated.length === 0) return
  if (ioThreadsPolicy === 'supplementalPool') {
    domain.iothreads = String(pool?.supplementalPoolThreadCount ?? 1)
    return
  }
  const shared = sharedThreads(vmi, disks.length - dedicated.length, dedicated.length)
  domain.iothreads = String(shared + dedicated.length)
  assign(domain.devices.disk ?? [], disks, shared)
}

/** How many threads serve the disks that have none of their own: at least one. */
function sharedThreads(vmi: VirtualMachineInstance, disks: number, dedicated: number): number {
  const limit = vmi.spec.domain.ioThreadsPolicy === 'auto' ? threadLimit(vmi) : 1
  return disks + dedicated <= limit ? Math.max(disks, 0) : Math.max(limit - dedicated, 1)
}

function threadLimit(vmi: VirtualMachineInstance): number {
  const { cpu, resources } = vmi.spec.domain
  // They run on the CPU that QEMU's own thread has.
  if (cpu?.dedicatedCpuPlacement && cpu.isolateEmulatorThread) return 1
  const quantity = resources?.requests?.cpu ?? resources?.limits?.cpu
  return 2 * (quantity === undefined ? 1 : Number(parseQuantity(quantity)))
}

type Driven = { target: { $bus: string }; driver?: { $iothread?: string | number } }

// The shared threads come first and are taken in turns; those of single disks have the numbers behind them.
function assign(converted: readonly Driven[], disks: readonly Disk[], shared: number): void {
  let nextShared = 0
  let nextDedicated = shared + 1
  for (const [index, { target, driver }] of converted.entries()) {
    if (target.$bus !== 'virtio' || !driver) continue
    if (disks[index]?.dedicatedIOThread) driver.$iothread = String(nextDedicated++)
    else driver.$iothread = String((nextShared++ % Math.max(shared, 1)) + 1)
  }
}
