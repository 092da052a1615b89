import { labelPrefix } from '@kubevirt-ts/api'
import type { Node, VirtualMachineInstance } from '@kubevirt-ts/api'

const demands = [labelPrefix.cpuModelMigration, labelPrefix.cpuFeature]

/**
 * What a target pod asks of a node's processor, where no node but the guest's own has all of it: the guest got the model
 * and the features of its first node, and finds none to go to. Undefined where one has, or for a guest of another model.
 */
export function unmetDemands(
  { spec, status }: VirtualMachineInstance,
  selector: Readonly<Record<string, string>>,
  nodes: readonly Node[],
): readonly string[] | undefined {
  const model = spec.domain.cpu?.model
  if (model && model !== 'host-model') return undefined
  const asked = Object.keys(selector).filter((key) => demands.some((prefix) => key.startsWith(prefix)))
  if (asked.length === 0) return undefined
  const others = nodes.filter(({ metadata }) => metadata.name !== status?.nodeName)
  const isMet = others.some(({ metadata }) => asked.every((key) => metadata.labels?.[key] === 'true'))
  return isMet ? undefined : asked
}
