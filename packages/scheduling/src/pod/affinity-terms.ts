import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '@kubevirt-ts/api'
import { labelMatcher, type LabelMatcher, type Labels } from '../labels/label-selector.ts'

/** A term of pod (anti-)affinity, compiled for one pod. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>
  readonly namespaceSelector: LabelMatcher
  readonly selector: LabelMatcher
  readonly topologyKey: string
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number
}

export interface AffinityTerms {
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly WeightedTerm[]
  readonly preferredAntiAffinity: readonly WeightedTerm[]
}

const none: AffinityTerms = { affinity: [], antiAffinity: [], preferredAffinity: [], preferredAntiAffinity: [] }

export function affinityTermsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (!podAffinity && !podAntiAffinity) return none
  return {
    affinity: compileAll(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: compileAll(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: compileWeighted(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: compileWeighted(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  }
}

/** Whether the other pod is one that the term speaks of. */
export function termMatches(term: AffinityTerm, { metadata }: Pod, namespaceLabels: Labels | undefined): boolean {
  const isInNamespace =
    term.namespaces.has(metadata.namespace ?? '') || term.namespaceSelector.matches(namespaceLabels ?? {})
  return isInNamespace && term.selector.matches(metadata.labels)
}

function compileAll(pod: Pod, terms: readonly PodAffinityTerm[] | undefined): AffinityTerm[] {
  return (terms ?? []).map((term) => compile(pod, term))
}

function compileWeighted(pod: Pod, terms: readonly WeightedPodAffinityTerm[] | undefined): WeightedTerm[] {
  return (terms ?? [])
    .filter(({ weight }) => weight !== 0)
    .map(({ weight, podAffinityTerm }) => ({ ...compile(pod, podAffinityTerm), weight }))
}

/** matchLabelKeys and mismatchLabelKeys are merged into the selector by the API server. */
function compile(
  pod: Pod,
  { namespaces, namespaceSelector, labelSelector, topologyKey }: PodAffinityTerm,
): AffinityTerm {
  const meansOwn = (namespaces ?? []).length === 0 && !namespaceSelector
  return {
    namespaces: new Set(meansOwn ? [pod.metadata.namespace ?? ''] : (namespaces ?? [])),
    namespaceSelector: labelMatcher(namespaceSelector),
    selector: labelMatcher(labelSelector),
    topologyKey,
  }
}
