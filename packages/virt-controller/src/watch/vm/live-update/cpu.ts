import { formatMilli, parseMilli } from '@kubevirt-ts/api'
import type { Quantity, ResourceRequirements, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { topologyVcpus } from '@kubevirt-ts/vmispec'
import { isTrue } from './step.ts'
import type { Facts, Step } from './step.ts'

/** A guest can get sockets up to the number that it was prepared for; it gets them by moving. */
export const cpu: Step = (spec, facts) => {
  const { vmi, template } = facts
  const wanted = template.domain.cpu?.sockets
  const current = spec.domain.cpu
  // Zero says the same as nothing.
  if (!wanted || current === undefined || wanted === (current.sockets ?? 0)) return { spec }
  if (vmi.spec.architecture === 'arm64') return { restart: "ARM doesn't support CPU hotplug" }
  if (isTrue(vmi, 'HotVCPUChange')) return { spec }
  if ((current.maxSockets ?? 0) !== 0 && wanted > (current.maxSockets ?? 0)) {
    return { restart: "CPU sockets updated in template spec to a value higher than what's available" }
  }
  if (wanted < (current.sockets ?? 0)) return { restart: 'Reduction of CPU socket count requires a restart' }
  const next = { ...current, sockets: wanted }
  const resources = withMoreCpus(spec.domain.resources, topologyVcpus(next) - topologyVcpus(current), facts)
  return { spec: withCpu(spec, next, resources) }
}

function withCpu(
  spec: VirtualMachineInstanceSpec,
  cpu: NonNullable<VirtualMachineInstanceSpec['domain']['cpu']>,
  resources: ResourceRequirements | undefined,
): VirtualMachineInstanceSpec {
  return { ...spec, domain: { ...spec.domain, cpu, ...(resources === undefined ? {} : { resources }) } }
}

/** What the template asks for in CPUs grows with the guest, by the share of a CPU that each vCPU counts for. */
function withMoreCpus(
  resources: ResourceRequirements | undefined,
  more: number,
  { template, configuration }: Facts,
): ResourceRequirements | undefined {
  const ratio = configuration.developerConfiguration?.cpuAllocationRatio ?? 10
  const added = BigInt(Math.floor((more * 1000) / ratio))
  const grown = (list: 'requests' | 'limits'): Record<string, Quantity> | undefined => {
    const now = resources?.[list]?.['cpu']
    if (now === undefined || template.domain.resources?.[list]?.['cpu'] === undefined) return resources?.[list]
    return { ...resources?.[list], cpu: formatMilli(parseMilli(now) + added) }
  }
  if (resources === undefined) return undefined
  const requests = grown('requests')
  const limits = grown('limits')
  return { ...resources, ...(requests && { requests }), ...(limits && { limits }) }
}
