import { annotation, notLiveMigratableReason, type VirtualMachineInstance, type Volume } from '@kubevirt-ts/api'
import { bindingOf, isOnSharedClaim, movedVolumes, presentInterfaces, tscNeed } from '@kubevirt-ts/vmispec'

/** Something that keeps a guest on its node. */
export interface Blocker {
  readonly reason: string
  readonly message: string
}

type Rule = (vmi: VirtualMachineInstance) => Blocker | undefined

const rules: readonly Rule[] = [unsharedDisk, podBridge, hostDevice, protectedMemory, reservation, clock, wholeHyperv]

/** Everything that keeps the guest from moving to another node, in the order of importance. */
export function migrationBlockers(vmi: VirtualMachineInstance): Blocker[] {
  return rules.flatMap((rule) => rule(vmi) ?? [])
}

/** Disks on storage of the node alone, and those that go to other claims, are taken along block by block. */
export function migrationMethod(vmi: VirtualMachineInstance): 'LiveMigration' | 'BlockMigration' {
  const { spec } = vmi
  if (movedVolumes(vmi).length > 0) return 'BlockMigration'
  const { disks = [], filesystems = [] } = spec.domain.devices
  const notCopied = new Set([...disks.filter(({ cdrom }) => cdrom), ...filesystems].map(({ name }) => name))
  const local = (spec.volumes ?? []).filter((volume) => !isShared(volume) && !notCopied.has(volume.name))
  return local.length > 0 ? 'BlockMigration' : 'LiveMigration'
}

const isShared = (volume: Volume): boolean =>
  Boolean(volume.persistentVolumeClaim ?? volume.dataVolume ?? volume.hostDisk)

function unsharedDisk(vmi: VirtualMachineInstance): Blocker | undefined {
  const { spec } = vmi
  const moved = movedVolumes(vmi)
  const claims = (spec.volumes ?? []).filter(
    ({ name, persistentVolumeClaim, dataVolume }) => (persistentVolumeClaim ?? dataVolume) && !moved.includes(name),
  )
  const unshared = claims.find(({ name }) => !isOnSharedClaim(vmi, name))
  const file = (spec.volumes ?? []).find(({ hostDisk }) => hostDisk && hostDisk.shared !== true)
  const volume = unshared ?? file
  if (volume === undefined) return undefined
  const message = `cannot migrate VMI: volume ${volume.name} is not shared, live migration requires that all volumes can be used from both nodes`
  return { reason: notLiveMigratableReason.disks, message }
}

/** Who sets the annotation says that nothing depends on the address. */
function podBridge({ spec, metadata }: VirtualMachineInstance): Blocker | undefined {
  if (metadata.annotations?.[annotation.allowPodBridgeNetworkLiveMigration] !== undefined) return undefined
  const iface = presentInterfaces(spec).find((each) => {
    const network = spec.networks?.find(({ name }) => name === each.name)
    return network?.pod !== undefined && bindingOf(each) === 'bridge'
  })
  if (iface === undefined) return undefined
  const message = `cannot migrate VMI: interface ${iface.name} bridges the pod network, whose address belongs to the node`
  return { reason: notLiveMigratableReason.interface, message }
}

function hostDevice({ spec }: VirtualMachineInstance): Blocker | undefined {
  const { hostDevices = [], gpus = [] } = spec.domain.devices
  const device = hostDevices[0] ?? gpus[1]
  if (device === undefined) return undefined
  return {
    reason: notLiveMigratableReason.hostDevice,
    message: `cannot migrate VMI: ${device.name} is a device of the node`,
  }
}

/** The host cannot read the guest's memory, so nor can it copy it. */
function protectedMemory({ spec }: VirtualMachineInstance): Blocker | undefined {
  const security = spec.domain.launchSecurity
  if (security === undefined) return undefined
  const { sev, snp, tdx } = security
  if (sev ?? snp) return { reason: notLiveMigratableReason.sev, message: 'cannot migrate VMI: SEV protects its memory' }
  if (tdx) return { reason: notLiveMigratableReason.tdx, message: 'cannot migrate VMI: TDX protects its memory' }
  return {
    reason: notLiveMigratableReason.secureExecution,
    message: 'cannot migrate VMI: Secure Execution protects its memory',
  }
}

function reservation({ spec }: VirtualMachineInstance): Blocker | undefined {
  const disk = spec.domain.devices.disks?.find(({ lun }) => lun?.reservation === true)
  if (disk === undefined) return undefined
  const message = `cannot migrate VMI: disk ${disk.name} may be reserved for the node by a SCSI persistent reservation`
  return { reason: notLiveMigratableReason.persistentReservation, message }
}

/** A guest that counts on its processor's frequency may only move to where it finds the same one. */
function clock(vmi: VirtualMachineInstance): Blocker | undefined {
  if (tscNeed(vmi) === 'none' || vmi.status?.topologyHints?.tscFrequency !== undefined) return undefined
  const message = "cannot migrate VMI: it needs a fixed frequency of the time stamp counter, and no node's is known"
  return { reason: notLiveMigratableReason.noTscFrequency, message }
}

function wholeHyperv({ spec }: VirtualMachineInstance): Blocker | undefined {
  if (spec.domain.features?.hypervPassthrough?.enabled !== true) return undefined
  const message = 'cannot migrate VMI: hypervPassthrough gives it whatever Hyper-V features its node happens to have'
  return { reason: notLiveMigratableReason.hypervPassthrough, message }
}
