import { parseQuantity } from '@kubevirt-ts/api'
import type { CPU, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

type Topology = Pick<CPU, 'cores' | 'sockets' | 'threads'>

/** cores x sockets x threads, where a number that is not given counts as one. */
export function topologyVcpus(topology: Topology): number {
  return (topology.cores || 1) * (topology.sockets || 1) * (topology.threads || 1)
}

/** Number of virtual CPUs of the guest: from the topology, else from the CPU limit, else the request; at least one. */
export function vcpus(spec: VirtualMachineInstanceSpec): number {
  const { cpu, resources } = spec.domain
  if (cpu && (cpu.cores || cpu.sockets || cpu.threads)) return topologyVcpus(cpu)
  const quantity = resources?.limits?.cpu ?? resources?.requests?.cpu
  return Math.max(1, quantity === undefined ? 1 : Number(parseQuantity(quantity)))
}
