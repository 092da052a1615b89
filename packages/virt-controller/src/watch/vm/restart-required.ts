import type {
  Interface,
  KubeVirtConfiguration,
  VirtualMachineCondition,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
  VirtualMachineSpec,
  Volume,
} from '@kubevirt-ts/api'
import { claimName, interfaceNamed, isHotplugVolume, isSecondaryMultus, normalForm } from '@kubevirt-ts/vmispec'
import { isSameJson } from '../same.ts'
import { isPluggable } from './live-update/interfaces.ts'
import { startedGeneration } from './revisions.ts'
import type { Seen } from './seen.ts'
import { isMovable } from './volume-migration/movable.ts'

export const fixedField = 'a non-live-updatable field was changed in the template spec'

/**
 * Why the guest must be started anew before it is what its VM says: its template differs from the one it was started
 * with in what a running guest cannot take over, or that was found before.
 */
export function restartReason(seen: Seen, configuration: KubeVirtConfiguration): string | undefined {
  const { vm, vmi, startedSpec } = seen
  if (vmi === undefined) return undefined
  const known = knownReason(seen)
  if (known !== undefined) return known.message ?? fixedField
  if (startedSpec === undefined) return undefined
  const isLive = configuration.vmRolloutStrategy !== 'Stage'
  const isAsStarted = (started: VirtualMachineSpec, now: VirtualMachineSpec) => sameFixed(started, now, vmi, isLive)
  // Mostly nothing was changed at all, so what costs is left for the rest.
  if (isAsStarted(startedSpec, vm.spec)) return undefined
  return isAsStarted(asTaken(startedSpec, vmi), asTaken(vm.spec, vmi)) ? undefined : fixedField
}

/**
 * The condition as it was told of this guest. One that was told before the guest's generation of the VM was seen is of the
 * guest before: the write that should have taken it off came too late.
 */
function knownReason({ vm: { status }, vmi }: Seen): VirtualMachineCondition | undefined {
  const started = vmi === undefined ? undefined : startedGeneration(vmi)
  if (started !== undefined && started >= (status?.desiredGeneration ?? Infinity)) return undefined
  return status?.conditions?.find(({ type, status: is }) => type === 'RestartRequired' && is === 'True')
}

/** Whether all that a running guest cannot take over is alike. */
function sameFixed(started: VirtualMachineSpec, now: VirtualMachineSpec, vmi: VirtualMachineInstance, isLive: boolean) {
  const moves = isLive && now.updateVolumesStrategy === 'Migration'
  const given = (now.template.spec?.volumes ?? []).filter((volume) => has(vmi, volume)).map(({ name }) => name)
  const movesVolume = (name: string): boolean => moves || given.includes(name)
  const came = { other: started.template.spec, isLive, movesVolume, ignores: isPluggable }
  const went = {
    other: now.template.spec,
    isLive,
    movesVolume,
    ignores: (iface: Interface, spec: VirtualMachineInstanceSpec) => isPluggable(iface, spec) && isGone(iface, vmi),
  }
  return isSameJson(fixed(started, went), fixed(now, came))
}

/**
 * The VM's spec as its guest took it, however it was written: virt-api's webhook rewrites what a VM says with each change
 * of it, also what was stored without it or by an older one.
 */
function asTaken(spec: VirtualMachineSpec, { spec: taken }: VirtualMachineInstance): VirtualMachineSpec {
  if (spec.template.spec === undefined) return spec
  const template = normalForm(spec.template.spec)
  if (taken.architecture !== undefined) template.architecture ??= taken.architecture
  if (!template.domain.machine?.type && taken.domain.machine) template.domain.machine = taken.domain.machine
  return { ...spec, template: { ...spec.template, spec: template } }
}

function fixed(spec: VirtualMachineSpec, comparison: Comparison): unknown {
  return [named(spec, comparison), fixedParts(spec.template.spec, comparison)]
}

/** The guest has no such card, or is about to lose it. */
function isGone({ name }: Interface, { spec }: VirtualMachineInstance): boolean {
  const card = interfaceNamed(spec, name)
  return card === undefined || card.state === 'absent'
}

/** The instance type and preference that the VM names; what another type changes is looked at where that can be live. */
function named({ instancetype, preference }: VirtualMachineSpec, { isLive }: Comparison): unknown {
  return [isLive && instancetype !== undefined ? {} : instancetype, preference].map((each) => [
    each?.kind,
    each?.name,
    each?.revisionName,
  ])
}

interface Comparison {
  /** The template that it is compared with. */
  readonly other: VirtualMachineInstanceSpec | undefined
  /** Whether a card that the other template does not have came or went in a way that a running guest takes over. */
  readonly ignores: (iface: Interface, spec: VirtualMachineInstanceSpec) => boolean
  /** Whether the cluster updates guests live. */
  readonly isLive: boolean
  /** Whether the content of a volume moves to the claim that the template names, or has moved there. */
  readonly movesVolume: (name: string) => boolean
}

/** The template without what may change under a running guest. */
function fixedParts(spec: VirtualMachineInstanceSpec | undefined, comparison: Comparison): unknown {
  if (spec === undefined) return undefined
  const { nodeSelector, affinity, tolerations, ...rest } = spec
  return {
    ...rest,
    ...(comparison.isLive ? {} : { nodeSelector, affinity, tolerations }),
    volumes: fixedVolumes(spec, comparison),
    networks: fixedNetworks(spec, comparison),
    domain: fixedDomain(spec, comparison),
  }
}

function fixedVolumes({ volumes = [] }: VirtualMachineInstanceSpec, { movesVolume }: Comparison): unknown {
  const fixed = volumes.filter((volume) => !isHotplugVolume(volume))
  return fixed.map((volume) => (isMovable(volume) && movesVolume(volume.name) ? { name: volume.name } : volume))
}

/** The guest uses the volume's claim already. */
function has({ spec }: VirtualMachineInstance, volume: Volume): boolean {
  const own = spec.volumes?.find(({ name }) => name === volume.name)
  return own !== undefined && claimName(own) !== undefined && claimName(own) === claimName(volume)
}

function fixedDomain(spec: VirtualMachineInstanceSpec, comparison: Comparison): unknown {
  const { firmware, cpu, memory, devices, ...rest } = spec.domain
  const { uuid: _uuid, ...fixedFirmware } = firmware ?? {}
  const { sockets, ...fixedCpu } = cpu ?? {}
  const { guest, ...fixedMemory } = memory ?? {}
  const plugged = new Set((spec.volumes ?? []).filter(isHotplugVolume).map(({ name }) => name))
  const disks = (devices.disks ?? []).filter(({ name, cdrom }) => !plugged.has(name) || cdrom !== undefined)
  const interfaces = fixedInterfaces(spec, comparison).map(({ state: _state, ...iface }) => iface)
  return {
    ...rest,
    ...(comparison.isLive ? {} : { sockets, guest }),
    devices: { ...devices, disks, interfaces },
    firmware: fixedFirmware,
    cpu: fixedCpu,
    memory: fixedMemory,
  }
}

/** Cards that both templates have, and those that can neither come nor go under a running guest. */
function fixedInterfaces(spec: VirtualMachineInstanceSpec, { other, ignores }: Comparison): Interface[] {
  return (spec.domain.devices.interfaces ?? []).filter((iface) => {
    const isInBoth = other !== undefined && interfaceNamed(other, iface.name) !== undefined
    return isInBoth || !ignores(iface, spec)
  })
}

/** Of a secondary network another definition can be taken over. */
function fixedNetworks(spec: VirtualMachineInstanceSpec, comparison: Comparison): unknown {
  const kept = new Set(fixedInterfaces(spec, comparison).map(({ name }) => name))
  return (spec.networks ?? [])
    .filter(({ name }) => kept.has(name))
    .map((network) => (isSecondaryMultus(network) ? { name: network.name, multus: {} } : network))
}
