import type { Affinity, NodeSelectorRequirement, PodAffinityTerm } from '@kubevirt-ts/api'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'
import { reservationLabels } from './persistent-reservation.ts'

/** The user's affinity, and what no node may have that is to run the guest. */
export function affinity({ spec, labels }: Draft, launch: Launch): void {
  const wanted: Affinity = { ...launch.vmi.spec.affinity }
  const forbidden = forbiddenLabels(launch)
  if (forbidden.length > 0) wanted.nodeAffinity = withRequirements(wanted.nodeAffinity, forbidden)
  if (launch.isEnabled('CrossArchitectureVirtualization')) {
    wanted.nodeAffinity = preferringArchitecture(wanted.nodeAffinity, launch.architecture)
  }
  const reserved = reservationLabels(launch)
  if (reserved.length > 0) {
    for (const label of reserved) labels[label] = ''
    wanted.podAntiAffinity = apartFrom(wanted.podAntiAffinity, reserved)
  }
  if (Object.keys(wanted).length > 0) spec.affinity = wanted
}

function forbiddenLabels({ vmi }: Launch): string[] {
  const { model, features = [] } = vmi.spec.domain.cpu ?? {}
  const hostModel = !model || model === 'host-model'
  return [
    ...(hostModel ? ['node-labeller.kubevirt.io/obsolete-host-model'] : []),
    ...features.filter(({ policy }) => policy === 'forbid').map(({ name }) => `cpu-feature.node.kubevirt.io/${name}`),
  ]
}

/** Terms are alternatives, so each of them needs the requirements. */
function withRequirements(affinity: Affinity['nodeAffinity'], labels: readonly string[]): Affinity['nodeAffinity'] {
  const requirements: NodeSelectorRequirement[] = labels.map((key) => ({ key, operator: 'DoesNotExist' }))
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...requirements],
  }))
  return { ...affinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
}

function preferringArchitecture(affinity: Affinity['nodeAffinity'], architecture: string): Affinity['nodeAffinity'] {
  const matchExpressions: NodeSelectorRequirement[] = [
    { key: 'kubernetes.io/arch', operator: 'In', values: [architecture] },
  ]
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return {
    ...affinity,
    preferredDuringSchedulingIgnoredDuringExecution: [...preferred, { weight: 100, preference: { matchExpressions } }],
  }
}

function apartFrom(affinity: Affinity['podAntiAffinity'], labels: readonly string[]): Affinity['podAntiAffinity'] {
  const terms: PodAffinityTerm[] = labels.map((key) => ({
    labelSelector: { matchExpressions: [{ key, operator: 'Exists' }] },
    topologyKey: 'kubernetes.io/hostname',
  }))
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return { ...affinity, requiredDuringSchedulingIgnoredDuringExecution: [...required, ...terms] }
}
