import type {
  VirtualMachineInstanceSpec,
  VirtualMachineMemoryDumpRequest,
  Volume,
  VolumeStatus,
} from '@kubevirt-ts/api'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'

type View = Pick<Seen, 'vm' | 'vmi'>

/** The volume of a guest's spec that its memory is dumped to, named as its claim. */
export function dumpVolume(claimName: string): Volume {
  return { name: claimName, memoryDump: { claimName, hotpluggable: true } }
}

export function hasDumpVolume(spec: VirtualMachineInstanceSpec | undefined, claimName: string): boolean {
  return spec?.volumes?.some(({ name }) => name === claimName) ?? false
}

/** A spec without volumes for dumps: a guest that starts has nothing to dump yet. */
export function withoutDumps<T extends VirtualMachineInstanceSpec>(spec: T): T {
  if (!spec.volumes?.some(({ memoryDump }) => memoryDump !== undefined)) return spec
  return { ...spec, volumes: spec.volumes.filter(({ memoryDump }) => memoryDump === undefined) }
}

/** What the node agent tells of the dump. */
export function dumpStatusOf({ vmi }: View, claimName: string): VolumeStatus | undefined {
  return vmi?.status?.volumeStatus?.find(({ name }) => name === claimName)
}

/** A dump that is over, this one or the one before. */
export function isDumped(status: VolumeStatus | undefined): boolean {
  return status?.phase === 'MemoryDumpCompleted' || status?.phase === 'MemoryDumpFailed'
}

const endedFirst = 'the guest ended before its memory was dumped; ask again once it runs'

/**
 * The request after what is seen: Associating until the guest has the claim, InProgress until its memory is written,
 * Unmounting until the guest let go of the claim, then Completed or Failed until the next request. One that is to be
 * removed goes once neither guest nor template has the claim.
 */
export function nextDumpRequest(seen: View): VirtualMachineMemoryDumpRequest | undefined {
  const request = seen.vm.status?.memoryDumpRequest
  if (request === undefined) return undefined
  const { claimName } = request
  const status = dumpStatusOf(seen, claimName)
  if (request.remove === true) {
    const specs = [seen.vm.spec.template.spec, isAlive(seen.vmi) ? seen.vmi.spec : undefined]
    return isLetGo(seen, claimName) && !specs.some((spec) => hasDumpVolume(spec, claimName)) ? undefined : request
  }
  switch (request.phase) {
    case 'Associating':
      if (!isAlive(seen.vmi)) return { ...request, phase: 'Failed', message: endedFirst }
      return hasDumpVolume(seen.vmi.spec, claimName) && !isDumped(status)
        ? { ...request, phase: 'InProgress' }
        : request
    case 'InProgress':
      return isAlive(seen.vmi) ? progressOf(request, status) : { ...request, phase: 'Failed', message: endedFirst }
    case 'Unmounting':
      return isLetGo(seen, claimName) ? { ...request, phase: 'Completed' } : request
    default:
      return request
  }
}

function isLetGo(seen: View, claimName: string): boolean {
  if (!isAlive(seen.vmi)) return true
  return !hasDumpVolume(seen.vmi.spec, claimName) && dumpStatusOf(seen, claimName) === undefined
}

function progressOf(
  request: VirtualMachineMemoryDumpRequest,
  status: VolumeStatus | undefined,
): VirtualMachineMemoryDumpRequest {
  const { startTimestamp, endTimestamp, targetFileName } = status?.memoryDumpVolume ?? {}
  const begun = startTimestamp === undefined ? request : { ...request, startTimestamp }
  if (!isDumped(status)) return begun
  const ended = endTimestamp === undefined ? begun : { ...begun, endTimestamp }
  if (status?.phase === 'MemoryDumpFailed') {
    return { ...ended, phase: 'Failed', message: status.message ?? 'the node agent tells no reason' }
  }
  return { ...ended, phase: 'Unmounting', ...(targetFileName === undefined ? {} : { fileName: targetFileName }) }
}
