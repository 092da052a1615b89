import { compareQuantity, formatQuantity, parseQuantity } from '@kubevirt-ts/api'
import type { Quantity, ResourceRequirements, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { memoryHotplugObstacle } from '@kubevirt-ts/vmispec'
import { isFalse, isTrue } from './step.ts'
import type { Facts, Step } from './step.ts'

/** A guest can get memory up to what it was prepared for, and give back what it got since its start. */
export const memory: Step = (spec, { vmi, template }) => {
  const wanted = template.domain.memory?.guest
  const current = spec.domain.memory?.guest
  const atBoot = vmi.status?.memory?.guestAtBoot
  if (wanted === undefined || current === undefined || atBoot === undefined) return { spec }
  if (compareQuantity(wanted, current) === 0) return { spec }
  const why = obstacle(wanted, atBoot, { vmi, template })
  if (why !== undefined) return { restart: why }
  return isTrue(vmi, 'HotMemoryChange') ? { spec } : { spec: withMemory(spec, wanted, template) }
}

const updated = 'memory updated in template spec'

function obstacle(wanted: Quantity, atBoot: Quantity, { vmi, template }: Omit<Facts, 'configuration'>) {
  const { maxGuest } = vmi.spec.domain.memory ?? {}
  if (isFalse(vmi, 'HotMemoryChange')) {
    return `${updated}. Memory-hotplug failed and is not available for this VM configuration`
  }
  if (!isTrue(vmi, 'LiveMigratable')) return `${updated}. Memory-hotplug is only available for migratable VMs`
  if (maxGuest === undefined) return `${updated}. Memory-hotplug is not available for this VM configuration`
  if (compareQuantity(wanted, atBoot) < 0) return `${updated} to a value lower than what the VM started with`
  if (compareQuantity(wanted, maxGuest) > 0) return `${updated} to a value higher than what's available`
  const domain = { ...vmi.spec.domain, memory: { ...vmi.spec.domain.memory, guest: wanted } }
  if (memoryHotplugObstacle(domain, vmi.spec.architecture ?? template.architecture, maxGuest) === undefined) return
  return `${updated}. Memory-hotplug is not available for this VM configuration`
}

function withMemory(
  spec: VirtualMachineInstanceSpec,
  guest: Quantity,
  template: VirtualMachineInstanceSpec,
): VirtualMachineInstanceSpec {
  const { memory: before, resources, ...domain } = spec.domain
  const more = parseQuantity(guest) - parseQuantity(before?.guest ?? guest)
  const grown = resources === undefined ? {} : { resources: withMoreMemory(resources, more, template) }
  return { ...spec, domain: { ...domain, ...grown, memory: { ...before, guest } } }
}

/** What the template asks for in memory grows and shrinks with the guest. */
function withMoreMemory(
  resources: ResourceRequirements,
  more: bigint,
  template: VirtualMachineInstanceSpec,
): ResourceRequirements {
  const grown = (list: 'requests' | 'limits'): Record<string, Quantity> | undefined => {
    const now = resources[list]?.['memory']
    if (now === undefined || template.domain.resources?.[list]?.['memory'] === undefined) return resources[list]
    return { ...resources[list], memory: formatQuantity(parseQuantity(now) + more) }
  }
  const requests = grown('requests')
  const limits = grown('limits')
  return { ...resources, ...(requests && { requests }), ...(limits && { limits }) }
}
