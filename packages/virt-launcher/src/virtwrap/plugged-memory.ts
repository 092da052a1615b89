import { parseQuantity, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec, MemoryDevice } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service/error'

const kibibyte = 1024n
const blockBytes = 2n * 1024n * 1024n
const gibibyte = 1024n ** 3n

/**
 * The device that holds what a guest gets beyond the memory that it was started with. Throws when there is no room, or
 * less is wanted than at the start. Sizes are whole blocks: 2 MiB, or a page where pages have 1 GiB.
 * @param wanted bytes that the guest shall have in all
 */
export function plugDevice(
  vmi: VirtualMachineInstance,
  present: DomainSpec,
  wanted: bigint,
): { device: MemoryDevice; isNew: boolean } {
  const { memory } = vmi.spec.domain
  const before = present.devices.memory?.find(({ $model }) => $model === 'virtio-mem')
  const atStart = parseQuantity(vmi.status?.memory?.guestAtBoot ?? memory?.guest ?? '0')
  const most = memory?.maxGuest === undefined ? 0n : parseQuantity(memory.maxGuest)
  const block = memory?.hugepages?.pageSize === '1Gi' ? gibibyte : blockBytes
  const requested = wanted - atStart
  if (requested < 0n || wanted > most || present.maxMemory === undefined)
    throw new VirtError(
      'MemoryOutOfRange',
      `the guest was started with ${atStart} bytes and room for ${most}; ${wanted} needs a restart`,
    )
  if (requested % block !== 0n)
    throw new VirtError('MemoryNotAligned', `memory is plugged in blocks of ${block} bytes, ${requested} is none`)
  const inKib = (bytes: bigint) => ({ $unit: 'KiB', _: String(bytes / kibibyte) })
  const device: MemoryDevice = before ?? {
    $model: 'virtio-mem',
    target: { size: inKib(((most - atStart) / block) * block), node: '0', block: inKib(block) },
  }
  return { device: { ...device, target: { ...device.target, requested: inKib(requested) } }, isNew: !before }
}
