import { parseQuantity, type Disk, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainDisk, DomainSpec } from '@kubevirt-ts/domain'
import { vcpus } from '@kubevirt-ts/vmispec'
import type { Configurator } from '../configurator.ts'

/** Threads of QEMU that serve virtio disks. After the disks and controllers, whose drivers name their thread. */
export const ioThreads: Configurator = (domain, { vmi }) => {
  const { ioThreadsPolicy, ioThreads: pool, devices } = vmi.spec.domain
  const disks = devices.disks ?? []
  const dedicated = disks.filter(({ dedicatedIOThread }) => dedicatedIOThread)
  if (!ioThreadsPolicy && dedicated.length === 0) return
  if (ioThreadsPolicy === 'supplementalPool') {
    const count = pool?.supplementalPoolThreadCount ?? 1
    domain.iothreads = String(count)
    shareAmong(domain.devices.disk ?? [], count)
    return
  }
  const shared = sharedThreads(vmi, disks.length - dedicated.length, dedicated.length)
  domain.iothreads = String(shared + dedicated.length)
  const next = assign(domain.devices.disk ?? [], disks, shared)
  if (dedicated.some(({ disk, lun }) => (disk ?? lun)?.bus === 'scsi')) serveScsi(domain, vmi, next)
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

type Driven = Pick<DomainDisk, 'target' | 'driver'>

/** The threads of the pool serve all disks together, each the queues that come. */
function shareAmong(converted: readonly Driven[], count: number): void {
  const iothread = Array.from({ length: count }, (_, index) => ({ $id: String(index + 1) }))
  for (const { target, driver } of converted) {
    if (target.$bus === 'virtio' && driver) driver.iothreads = { iothread }
  }
}

/** A SCSI disk has no thread of its own; its controller has. */
function serveScsi({ devices }: DomainSpec, { spec }: VirtualMachineInstance, thread: number): void {
  for (const controller of devices.controller ?? []) {
    if (controller.$type !== 'scsi') continue
    controller.driver = { ...controller.driver, $iothread: String(thread), $queues: String(vcpus(spec)) }
  }
}

/**
 * The shared threads come first and are taken in turns; those of single disks have the numbers behind them.
 * Answers the shared thread whose turn is next.
 */
function assign(converted: readonly Driven[], disks: readonly Disk[], shared: number): number {
  let nextShared = 0
  let nextDedicated = shared + 1
  for (const [index, { target, driver }] of converted.entries()) {
    if (target.$bus !== 'virtio' || !driver) continue
    if (disks[index]?.dedicatedIOThread) driver.$iothread = String(nextDedicated++)
    else driver.$iothread = String((nextShared++ % Math.max(shared, 1)) + 1)
  }
  return (nextShared % Math.max(shared, 1)) + 1
}
