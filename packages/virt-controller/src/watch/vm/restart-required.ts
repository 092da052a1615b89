import type { VirtualMachineInstanceSpec, VirtualMachineSpec } from '@kubevirt-ts/api'
import { isHotplugVolume } from '@kubevirt-ts/vmispec'
import { isSameJson } from '../same.ts'
import type { Seen } from './seen.ts'

/** Whether the template differs from what the guest was started with in a field that a running guest cannot take over. */
export function needsRestart({ vm, vmi, startedSpec }: Seen): boolean {
  if (vmi === undefined || startedSpec === undefined) return false
  return !isSameJson(fixed(startedSpec), fixed(vm.spec)) || !isSameJson(named(startedSpec), named(vm.spec))
}

/** The instance type and preference that the VM names. */
function named({ instancetype, preference }: VirtualMachineSpec): unknown {
  return [instancetype, preference].map((each) => [each?.kind, each?.name, each?.revisionName])
}

/** The template without what may change under a running guest. */
function fixed({ template }: VirtualMachineSpec): unknown {
  if (template.spec === undefined) return undefined
  const { nodeSelector: _n, affinity: _a, tolerations: _t, ...spec } = template.spec
  const volumes = (spec.volumes ?? []).filter((volume) => !isHotplugVolume(volume))
  return { ...spec, volumes, domain: fixedDomain(spec) }
}

function fixedDomain({ domain, volumes }: VirtualMachineInstanceSpec): unknown {
  const { firmware, cpu, memory, devices, ...rest } = domain
  const plugged = new Set((volumes ?? []).filter(isHotplugVolume).map(({ name }) => name))
  const disks = (devices.disks ?? []).filter(({ name, cdrom }) => !plugged.has(name) || cdrom !== undefined)
  const { uuid: _u, ...fixedFirmware } = firmware ?? {}
  const { sockets: _s, ...fixedCpu } = cpu ?? {}
  const { guest: _g, ...fixedMemory } = memory ?? {}
  return { ...rest, devices: { ...devices, disks }, firmware: fixedFirmware, cpu: fixedCpu, memory: fixedMemory }
}
