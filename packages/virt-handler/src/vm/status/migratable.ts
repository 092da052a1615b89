import { notLiveMigratableReason, type VirtualMachineInstance, type Volume } from '@kubevirt-ts/api'
import { bindingOf, isOnSharedClaim, movedVolumes, presentInterfaces } from '@kubevirt-ts/vmispec'

/** Something that keeps a guest on its node. */
export interface Blocker {
  readonly reason: string
  readonly message: string
}

type Rule = (vmi: VirtualMachineInstance) => Blocker | undefined

const rules: readonly Rule[] = [unsharedDisk, podBridge, hostDevice]

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

function podBridge({ spec }: VirtualMachineInstance): Blocker | undefined {
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
