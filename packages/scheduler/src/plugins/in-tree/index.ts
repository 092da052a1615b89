import {
  imageLocality,
  interPodAffinity,
  interPodAffinityScore,
  nodeAffinity,
  nodeAffinityScore,
  nodeName,
  nodePorts,
  nodeResourcesBalancedAllocation,
  nodeResourcesFit,
  nodeResourcesFitScore,
  nodeUnschedulable,
  nodeVolumeLimits,
  podTopologySpread,
  podTopologySpreadScore,
  taintToleration,
  taintTolerationScore,
  volumeRestrictions,
  volumeZone,
} from '@kubevirt-ts/scheduling'
import type { PluginArguments, PluginFactory } from '../../framework/registry.ts'
import { rulePlugin, type RulePluginParts } from '../../framework/rule-plugin.ts'
import { addedAffinityOf, balanceOf, fitOf, interPodAffinityOf, noArguments, spreadOf } from './arguments.ts'
import { helpful } from './hints.ts'

/** Kubernetes' rules under Kubernetes' names; what they do is in the package `scheduling`. */
export const inTreePlugins: readonly PluginFactory[] = [
  rules('NodeUnschedulable', () => ({ filter: nodeUnschedulable })),
  rules('NodeName', () => ({ filter: nodeName })),
  rules('TaintToleration', () => ({ filter: taintToleration, score: taintTolerationScore })),
  configured('NodeAffinity', (args) => {
    const added = addedAffinityOf(args)
    return { filter: nodeAffinity(added), score: nodeAffinityScore(added) }
  }),
  rules('NodePorts', () => ({ filter: nodePorts })),
  configured('NodeResourcesFit', (args) => {
    const { ignored, strategy } = fitOf(args)
    return { filter: nodeResourcesFit(ignored), score: nodeResourcesFitScore(strategy) }
  }),
  configured('NodeResourcesBalancedAllocation', (args) => ({
    score: nodeResourcesBalancedAllocation(balanceOf(args)),
  })),
  rules('VolumeRestrictions', () => ({ filter: volumeRestrictions })),
  rules('NodeVolumeLimits', () => ({ filter: nodeVolumeLimits })),
  rules('VolumeZone', () => ({ filter: volumeZone })),
  configured('PodTopologySpread', (args) => {
    const options = spreadOf(args)
    return { filter: podTopologySpread(options), score: podTopologySpreadScore(options) }
  }),
  configured('InterPodAffinity', (args) => ({
    filter: interPodAffinity,
    score: interPodAffinityScore(interPodAffinityOf(args)),
  })),
  rules('ImageLocality', () => ({ score: imageLocality })),
]

function configured<F, S>(
  name: string,
  parts: (args: PluginArguments | undefined) => RulePluginParts<F, S>,
): PluginFactory {
  const isHelpful = helpful[name]
  return {
    name,
    create: (args) => rulePlugin({ ...parts(args), ...(isHelpful === undefined ? {} : { isHelpful }) }),
  }
}

/** Without arguments. */
function rules<F, S>(name: string, parts: () => RulePluginParts<F, S>): PluginFactory {
  return configured(name, (args) => {
    noArguments(args)
    return parts()
  })
}
