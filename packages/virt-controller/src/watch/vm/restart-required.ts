import type {
  Interface,
  KubeVirtConfiguration,
  VirtualMachineCondition,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
  VirtualMachineSpec,
} from '@kubevirt-ts/api'
import { interfaceNamed, isHotplugVolume, isSecondaryMultus, normalForm } from '@kubevirt-ts/vmispec'
import { isSameJson } from '../same.ts'
import { isPluggable } from './live-update/interfaces.ts'
import { startedGeneration } from './revisions.ts'
import type { Seen } from './seen.ts'

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
  if (isAsStarted(asTaken(startedSpec, vmi), asTaken(vm.spec, vmi))) return undefined
  return movesVolumes(vm.spec, startedSpec) ? volumesStay : fixedField
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
  const came = { other: started.template.spec, isLive, ignores: isPluggable }
  const went = {
    other: now.template.spec,
    isLive,
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

/** Content is not copied to other claims under a running guest: whoever asked for it must not restart into empty disks. */
export const volumesStay =
  'this release of kubevirt-ts does not copy volumes to other claims while the guest runs: take the change of spec.template.spec.volumes back, or restart the VM to use the new claims with what is in them'

function movesVolumes({ updateVolumesStrategy, template }: VirtualMachineSpec, started: VirtualMachineSpec): boolean {
  return updateVolumesStrategy === 'Migration' && !isSameJson(template.spec?.volumes, started.template.spec?.volumes)
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
}

/** The template without what may change under a running guest. */
function fixedParts(spec: VirtualMachineInstanceSpec | undefined, comparison: Comparison): unknown {
  if (spec === undefined) return undefined
  const { nodeSelector, affinity, tolerations, ...rest } = spec
  return {
    ...rest,
    ...(comparison.isLive ? {} : { nodeSelector, affinity, tolerations }),
    volumes: (spec.volumes ?? []).filter((volume) => !isHotplugVolume(volume)),
    networks: fixedNetworks(spec, comparison),
    domain: fixedDomain(spec, comparison),
  }
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
