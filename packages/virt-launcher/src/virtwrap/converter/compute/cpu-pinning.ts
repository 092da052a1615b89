import { parseQuantity, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import { guestMemory, vcpus } from '@kubevirt-ts/vmispec'
import { VirtError } from '@kubevirt-ts/service/error'
import type { Configurator, Guest } from '../configurator.ts'

/** One host CPU for each of the guest's, for QEMU's own threads where wanted, and the host's NUMA cells. */
export const cpuPinning: Configurator = (domain, guest) => {
  const { vmi, context } = guest
  const wanted = vmi.spec.domain.cpu
  if (!wanted?.dedicatedCpuPlacement) return
  domain.cputune = pins(vmi, Number(domain.iothreads ?? 0), context.cpuSet)
  const own = context.cpuSet.slice(0, vcpus(vmi.spec))
  if (wanted.numa?.guestMappingPassthrough) passNumaThrough(domain, guest, own)
}

/** Which of a pod's CPUs each thread of its guest runs on. Throws where there are too few. */
export function pins(
  vmi: VirtualMachineInstance,
  ioThreads: number,
  cpuSet: readonly number[],
): NonNullable<DomainSpec['cputune']> {
  const isolated = vmi.spec.domain.cpu?.isolateEmulatorThread
  const count = vcpus(vmi.spec)
  const own = cpuSet.slice(0, count)
  const emulator = cpuSet[count]
  if (own.length < count || (isolated && emulator === undefined))
    throw new VirtError(
      'NotEnoughDedicatedCpus',
      `${vmi.metadata.name} needs ${count} CPUs of its own, the pod has ${cpuSet.length}`,
    )
  return {
    vcpupin: own.map((cpu, vcpu) => ({ $vcpu: String(vcpu), $cpuset: String(cpu) })),
    iothreadpin: ioThreadPins(ioThreads, own, isolated ? emulator : undefined),
    emulatorpin: isolated ? { $cpuset: String(emulator) } : undefined,
  }
}

/**
 * CPUs of the I/O threads: that of QEMU's own thread for the first where it has one; else one each in turn, or for
 * fewer threads than CPUs an equal share of neighbours.
 */
function ioThreadPins(threads: number, own: readonly number[], emulator: number | undefined) {
  if (threads === 0) return undefined
  if (emulator !== undefined) return [{ $iothread: '1', $cpuset: String(emulator) }]
  const pins: { $iothread: string; $cpuset: string }[] = []
  let taken = 0
  for (let thread = 1; thread <= threads; thread++) {
    const share = Math.floor(own.length / threads) + (thread <= own.length % threads ? 1 : 0)
    const cpus = threads >= own.length ? [own[thread % own.length]!] : own.slice(taken, taken + share)
    pins.push({ $iothread: String(thread), $cpuset: cpus.join(',') })
    taken += share
  }
  return pins
}

/** The guest gets a NUMA cell for each of the host's that its CPUs belong to, with memory from there. */
const passNumaThrough = (
  domain: Parameters<Configurator>[0],
  { vmi, context }: Guest,
  own: readonly number[],
): void => {
  const used = (context.topology?.numaCells ?? []).flatMap((cell) => {
    const vcpusOfCell = own.flatMap((cpu, vcpu) => (cell.cpus.some(({ id }) => id === cpu) ? [vcpu] : []))
    return vcpusOfCell.length > 0 ? [{ cell, vcpusOfCell }] : []
  })
  if (used.length === 0)
    throw new VirtError('NoNumaTopology', `the host's NUMA topology is not known, which ${vmi.metadata.name} asks for`)
  const hostCells = used.map(({ cell }) => cell.id)
  const share = (guestMemory(vmi.spec) ?? 0n) / BigInt(used.length)
  domain.cpu = {
    ...domain.cpu,
    numa: {
      cell: used.map(({ cell, vcpusOfCell }, id) => ({
        $id: String(id),
        $cpus: vcpusOfCell.join(','),
        $memory: String(share),
        $unit: 'b',
        distances: {
          sibling: cell.distances
            .filter((sibling) => hostCells.includes(sibling.id))
            .map((sibling) => ({ $id: String(hostCells.indexOf(sibling.id)), $value: String(sibling.value) })),
        },
      })),
    },
  }
  const nodeset = hostCells.join(',')
  domain.numatune = {
    memory: { $mode: 'strict', $nodeset: nodeset },
    memnode: hostCells.map((host, id) => ({ $cellid: String(id), $mode: 'strict', $nodeset: String(host) })),
  }
  domain.memoryBacking = {
    ...domain.memoryBacking,
    hugepages: { page: hostCells.map((_, id) => ({ $size: pageBytes(vmi), $unit: 'b', $nodeset: String(id) })) },
    source: { $type: 'memfd' },
    allocation: { $mode: 'immediate' },
  }
}

function pageBytes(vmi: Guest['vmi']): string {
  return String(parseQuantity(vmi.spec.domain.memory?.hugepages?.pageSize ?? '2Mi'))
}
