import type { NodeAffinity, TopologySpreadConstraint } from '@kubevirt-ts/api'
import {
  defaultResourceWeights,
  leastAllocated,
  systemDefaultConstraints,
  type FitOptions,
  type InterPodAffinityOptions,
  type ResourceWeight,
  type ScoringStrategy,
  type ShapePoint,
  type SpreadOptions,
} from '@kubevirt-ts/scheduling'
import type { PluginArgument, PluginArguments } from '../../framework/registry.ts'

const type = ['apiVersion', 'kind'] as const

export function noArguments(args: PluginArguments | undefined): void {
  args?.fields(...type)
}

export function addedAffinityOf(args: PluginArguments | undefined): NodeAffinity | undefined {
  return args?.fields(...type, 'addedAffinity').addedAffinity?.value() as NodeAffinity | undefined
}

export function fitOf(args: PluginArguments | undefined): {
  readonly ignored: FitOptions
  readonly strategy: ScoringStrategy
} {
  const given = args?.fields(...type, 'ignoredResources', 'ignoredResourceGroups', 'scoringStrategy')
  const names = (list: PluginArgument | undefined) => (list?.items() ?? []).map((item) => item.string())
  return {
    ignored: {
      ignoredResources: names(given?.ignoredResources),
      ignoredResourceGroups: names(given?.ignoredResourceGroups),
    },
    strategy: given?.scoringStrategy === undefined ? leastAllocated : strategyOf(given.scoringStrategy),
  }
}

function strategyOf(field: PluginArgument): ScoringStrategy {
  const given = field.fields('type', 'resources', 'requestedToCapacityRatio')
  const kind = given.type?.oneOf('LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio') ?? 'LeastAllocated'
  const resources = resourcesOf(given.resources)
  if (kind !== 'RequestedToCapacityRatio') return { type: kind, resources }
  const shape = given.requestedToCapacityRatio?.fields('shape').shape
  if (shape === undefined) throw field.error('RequestedToCapacityRatio needs requestedToCapacityRatio.shape')
  return { type: kind, resources, shape: shapeOf(shape) }
}

function shapeOf(field: PluginArgument): ShapePoint[] {
  let before = -1
  const points = field.items().map((item) => {
    const { utilization, score } = item.fields('utilization', 'score')
    const at = utilization?.integer({ minimum: 0, maximum: 100 }) ?? 0
    if (at <= before) throw item.error(`utilization ${at} does not rise above ${before}`)
    before = at
    return { utilization: at, score: score?.integer({ minimum: 0, maximum: 10 }) ?? 0 }
  })
  if (points.length === 0) throw field.error('needs at least one point')
  return points
}

export function balanceOf(args: PluginArguments | undefined): readonly ResourceWeight[] {
  return resourcesOf(args?.fields(...type, 'resources').resources)
}

function resourcesOf(field: PluginArgument | undefined): readonly ResourceWeight[] {
  const items = field?.items() ?? []
  if (items.length === 0) return defaultResourceWeights
  return items.map((item) => {
    const { name, weight } = item.fields('name', 'weight')
    if (name === undefined) throw item.error('needs the name of a resource')
    return { name: name.string(), weight: weight?.integer({ minimum: 1, maximum: 100 }) ?? 1 }
  })
}

export function interPodAffinityOf(args: PluginArguments | undefined): InterPodAffinityOptions {
  const given = args?.fields(...type, 'hardPodAffinityWeight', 'ignorePreferredTermsOfExistingPods')
  return {
    hardPodAffinityWeight: given?.hardPodAffinityWeight?.integer({ minimum: 0, maximum: 100 }) ?? 1,
    ignorePreferredTermsOfExistingPods: given?.ignorePreferredTermsOfExistingPods?.boolean() ?? false,
  }
}

export function spreadOf(args: PluginArguments | undefined): SpreadOptions {
  const given = args?.fields(...type, 'defaultConstraints', 'defaultingType')
  const own = given?.defaultConstraints?.items() ?? []
  if ((given?.defaultingType?.oneOf('System', 'List') ?? 'System') === 'List') {
    return { defaultConstraints: own.map(constraintOf) }
  }
  if (own.length > 0) throw own[0]!.error('defaultConstraints need defaultingType: List')
  return { defaultConstraints: systemDefaultConstraints, isSystemDefault: true }
}

function constraintOf(field: PluginArgument): TopologySpreadConstraint {
  const given = field.fields(
    'maxSkew',
    'topologyKey',
    'whenUnsatisfiable',
    'minDomains',
    'nodeAffinityPolicy',
    'nodeTaintsPolicy',
  )
  if (given.topologyKey === undefined) throw field.error('needs a topologyKey')
  return {
    maxSkew: given.maxSkew?.integer({ minimum: 1 }) ?? 1,
    topologyKey: given.topologyKey.string(),
    whenUnsatisfiable: given.whenUnsatisfiable?.oneOf('DoNotSchedule', 'ScheduleAnyway') ?? 'DoNotSchedule',
    ...(given.minDomains === undefined ? {} : { minDomains: given.minDomains.integer({ minimum: 1 }) }),
    ...(given.nodeAffinityPolicy === undefined
      ? {}
      : { nodeAffinityPolicy: given.nodeAffinityPolicy.oneOf('Honor', 'Ignore') }),
    ...(given.nodeTaintsPolicy === undefined
      ? {}
      : { nodeTaintsPolicy: given.nodeTaintsPolicy.oneOf('Honor', 'Ignore') }),
  }
}
