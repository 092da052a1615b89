import type { VirtualMachineInstance, VolumeStatus } from '@kubevirt-ts/api'
import { deviceName, type Domain } from '@kubevirt-ts/domain'
import { dumpFileName, type DumpOutcome } from '../memory-dump.ts'
import { diskOf } from '../plug.ts'

/** What this node knows of the volumes beside the domain. */
export interface VolumeFacts {
  /** Names of the plugged volumes that are in the launcher's pod. */
  readonly plugged: readonly string[]
  readonly dump?: DumpOutcome | undefined
  readonly now: Date
}

/** The VMI's volumes with the disks they became in the guest, by name. */
export function volumeStatuses(vmi: VirtualMachineInstance, domain: Domain, facts: VolumeFacts): VolumeStatus[] {
  const before = vmi.status?.volumeStatus ?? []
  const disks = (domain.spec.devices?.disk ?? []).flatMap((disk) => {
    const name = deviceName(disk)
    return name === undefined ? [] : [{ name, target: disk.target.$dev }]
  })
  const known = before.map((each) => {
    const target = disks.find(({ name }) => name === each.name)?.target
    if (each.hotplugVolume === undefined) return { ...each, target: target ?? each.target }
    return pluggedStatus({ ...each, target: target ?? '' }, vmi, domain, facts)
  })
  const fresh = disks.filter(({ name }) => !before.some((each) => each.name === name))
  return [...known, ...fresh].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** How far a volume got that comes or goes while the guest runs. */
function pluggedStatus(
  status: VolumeStatus,
  vmi: VirtualMachineInstance,
  domain: Domain,
  facts: VolumeFacts,
): VolumeStatus {
  const { name } = status
  const present = facts.plugged.includes(name)
  if (status.memoryDumpVolume !== undefined) return dumpStatus(status, vmi, facts)
  if (present && diskOf(domain, name) !== undefined)
    return told(status, 'Ready', 'VolumeReady', `Successfully attach hotplugged volume ${name} to VM`)
  if (present)
    return told(status, 'MountedToPod', 'VolumeMountedToPod', `Volume ${name} has been mounted in virt-launcher pod`)
  return wasIn(status) ? unmounted(status) : status
}

const wasIn = ({ phase }: VolumeStatus): boolean => phase === 'MountedToPod' || phase === 'Ready'

function unmounted(status: VolumeStatus): VolumeStatus {
  const message = `Volume ${status.name} has been unmounted from virt-launcher pod`
  return told(status, 'UnMountedFromPod', 'VolumeUnMountedFromPod', message)
}

function dumpStatus(status: VolumeStatus, vmi: VirtualMachineInstance, facts: VolumeFacts): VolumeStatus {
  const { name, phase, memoryDumpVolume } = status
  const now = `${facts.now.toISOString().slice(0, 19)}Z`
  if (facts.dump?.volume === name && phase === 'MemoryDumpInProgress') {
    const { failure } = facts.dump
    const ended = { ...status, memoryDumpVolume: { ...memoryDumpVolume, endTimestamp: now } }
    if (failure !== undefined)
      return told(ended, 'MemoryDumpFailed', 'MemoryDumpFailed', `Memory dump failed: ${failure}`)
    return told(
      ended,
      'MemoryDumpCompleted',
      'MemoryDumpCompleted',
      `Memory dump Volume ${name} has completed successfully`,
    )
  }
  if (isOver(phase) && !isWanted(vmi, name) && !facts.plugged.includes(name)) return unmounted(status)
  if (phase?.startsWith('MemoryDump') === true) return status
  if (!facts.plugged.includes(name)) return wasIn(status) ? unmounted(status) : status
  const targetFileName = dumpFileName(vmi, name, facts.now)
  const begun = { ...status, memoryDumpVolume: { ...memoryDumpVolume, startTimestamp: now, targetFileName } }
  return told(
    begun,
    'MemoryDumpInProgress',
    'MemoryDumpInProgress',
    `Memory dump Volume ${name} is attached, getting memory dump`,
  )
}

const isOver = (phase: string | undefined): boolean => phase === 'MemoryDumpCompleted' || phase === 'MemoryDumpFailed'

const isWanted = ({ spec }: VirtualMachineInstance, volume: string): boolean =>
  spec.volumes?.some(({ name }) => name === volume) ?? false

const told = (status: VolumeStatus, phase: string, reason: string, message: string): VolumeStatus => ({
  ...status,
  phase,
  reason,
  message,
})
