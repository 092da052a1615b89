import type { PluginSets } from './plugin-sets.ts'

/** What a profile does unless it says otherwise: the plugins of kube-scheduler 1.34 with their weights. */
export const defaultPlugins: PluginSets['multiPoint'] = {
  enabled: [
    { name: 'SchedulingGates' },
    { name: 'PrioritySort' },
    { name: 'NodeUnschedulable' },
    { name: 'NodeName' },
    { name: 'TaintToleration', weight: 3 },
    { name: 'NodeAffinity', weight: 2 },
    { name: 'NodePorts' },
    { name: 'NodeResourcesFit', weight: 1 },
    { name: 'VolumeRestrictions' },
    { name: 'NodeVolumeLimits' },
    { name: 'VolumeBinding' },
    { name: 'VolumeZone' },
    { name: 'PodTopologySpread', weight: 2 },
    { name: 'InterPodAffinity', weight: 2 },
    { name: 'DynamicResources' },
    { name: 'DefaultPreemption' },
    { name: 'NodeResourcesBalancedAllocation', weight: 1 },
    { name: 'ImageLocality', weight: 1 },
    { name: 'DefaultBinder' },
  ],
  disabled: [],
}

/** Plugins that old configurations name, and what became of them. */
export const removedPlugins: Readonly<Record<string, string>> = {
  SelectorSpread: 'it was removed from Kubernetes; PodTopologySpread does its work by default',
  NodeResourcesLeastAllocated:
    'it was removed from Kubernetes; use NodeResourcesFit with scoringStrategy LeastAllocated',
  NodeResourcesMostAllocated: 'it was removed from Kubernetes; use NodeResourcesFit with scoringStrategy MostAllocated',
  RequestedToCapacityRatio:
    'it was removed from Kubernetes; use NodeResourcesFit with scoringStrategy RequestedToCapacityRatio',
  NodePreferAvoidPods: 'it was removed from Kubernetes; use taints',
  NodeLabel: 'it was removed from Kubernetes; use NodeAffinity with addedAffinity',
  ServiceAffinity: 'it was removed from Kubernetes; use InterPodAffinity',
}
