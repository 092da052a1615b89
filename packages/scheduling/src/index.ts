export { success, skip, unschedulable, unresolvable, isRejected, type Code, type Verdict } from './verdict.ts'
export { maxScore, type FilterRule, type Prepared, type ScoreRule } from './rule.ts'
export { labelMatcher, withLabels, matchesEverything, type LabelMatcher, type Labels } from './labels/label-selector.ts'
export { nodeSelectorTest, type NodeTest } from './labels/node-selector.ts'
export { claimNameOf, isTerminal, priorityOf, volumesOf, type SchedulingVolume } from './pod/pod.ts'
export { podInfoOf, type PodInfo } from './pod/pod-info.ts'
export { podRequests } from './pod/requests.ts'
export type { Resources } from './pod/resources.ts'
export { NodeInfo } from './snapshot/node-info.ts'
export { snapshotOf, type Snapshot, type SnapshotObjects } from './snapshot/snapshot.ts'
export {
  classOf,
  csiNodes,
  volumeAttachments,
  volumesFrom,
  type CSINode,
  type SchedulingStorageClass,
  type SchedulingVolumeObject,
  type VolumeAttachment,
  type VolumeObjects,
  type Volumes,
} from './snapshot/volumes.ts'
export { imageLocality } from './rules/image-locality.ts'
export { interPodAffinity, interPodAffinityScore, type InterPodAffinityOptions } from './rules/inter-pod-affinity.ts'
export { nodeAffinity, nodeAffinityScore } from './rules/node-affinity.ts'
export { nodeName } from './rules/node-name.ts'
export { nodePorts } from './rules/node-ports.ts'
export { nodeResourcesFit, type FitOptions } from './rules/node-resources-fit.ts'
export { nodeUnschedulable } from './rules/node-unschedulable.ts'
export { nodeVolumeLimits } from './rules/node-volume-limits.ts'
export {
  podTopologySpread,
  podTopologySpreadScore,
  systemDefaultConstraints,
  type SpreadOptions,
} from './rules/pod-topology-spread.ts'
export {
  defaultResourceWeights,
  leastAllocated,
  nodeResourcesBalancedAllocation,
  nodeResourcesFitScore,
  type ResourceWeight,
  type ScoringStrategy,
  type ShapePoint,
} from './rules/resource-score.ts'
export { taintToleration, taintTolerationScore } from './rules/taint-toleration.ts'
export {
  planVolumes,
  volumeBinding,
  type StaticBinding,
  type VolumeBindingState,
  type VolumePlan,
} from './rules/volume-binding.ts'
export { volumeRestrictions } from './rules/volume-restrictions.ts'
export { volumeZone } from './rules/volume-zone.ts'
export { homeAnnotation, homePolicies, type HomePolicy } from './home/annotations.ts'
