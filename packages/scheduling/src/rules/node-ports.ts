import type { HostPort } from '../pod/host-ports.ts'
import { prepared, skipped, type FilterRule } from '../rule.ts'
import { success, unschedulable } from '../verdict.ts'

const refusal = unschedulable("node(s) didn't have free ports for the requested pod ports")

/** Keeps pods from nodes where another pod has one of their host ports. */
export const nodePorts: FilterRule<readonly HostPort[]> = {
  name: 'NodePorts',
  prepare: ({ hostPorts }) => (hostPorts.length === 0 ? skipped : prepared(hostPorts)),
  filter: (ports, node) => (ports.some((port) => node.isPortTaken(port)) ? refusal : success),
}
