import type { LabelSelector, Pod } from '@kubevirt-ts/api'
import { controllerOf, keyFor } from '@kubevirt-ts/controller'
import { labelMatcher, type LabelMatcher } from '@kubevirt-ts/scheduling'
import type { Surroundings } from '../cache/cluster-cache.ts'
import type { Informers } from './informers.ts'

/** What rules ask beside nodes and pods, answered from the informers. */
export function surroundingsOf(informers: Informers): Surroundings {
  const { claims, volumes, storageClasses, csiNodes, attachments, namespaces } = informers
  return {
    volumes: {
      claim: (namespace, name) => claims.get(keyFor(namespace, name)),
      volume: (name) => volumes.get(name),
      volumesOfClass: (name) => volumes.byIndex('class', name),
      storageClass: (name) => storageClasses.get(name),
      csiNode: (name) => csiNodes.get(name),
      attachmentsOf: (node) => attachments.byIndex('node', node),
    },
    namespaceLabels: (name) => namespaces.get(name)?.metadata.labels,
    namespaces: () => namespaces.list().map(({ metadata }) => [metadata.name, metadata.labels ?? {}] as const),
    ownerSelector: (pod) => ownerSelector(pod, informers),
  }
}

/** The selectors of all services that select the pod, and of the workload that controls it, joined by and. */
function ownerSelector(pod: Pod, { services, workloads }: Informers): LabelMatcher | undefined {
  const { namespace = '', labels = {} } = pod.metadata
  const wanted: Record<string, string> = {}
  for (const { spec } of services.byIndex('namespace', namespace)) {
    const selector = Object.entries(spec?.selector ?? {})
    if (selector.length > 0 && selector.every(([key, value]) => labels[key] === value)) {
      Object.assign(wanted, spec!.selector)
    }
  }
  const owner = controllerOf({ metadata: pod.metadata })
  const workload = owner === undefined ? undefined : workloads[owner.kind]?.get(keyFor(namespace, owner.name))
  const selector = workload?.spec?.selector
  const { matchLabels, matchExpressions } = asLabelSelector(owner?.kind, selector)
  const joined = { matchLabels: { ...wanted, ...matchLabels }, ...(matchExpressions ? { matchExpressions } : {}) }
  const matcher = labelMatcher(joined)
  return matcher.isEmpty ? undefined : matcher
}

function asLabelSelector(kind: string | undefined, selector: object | undefined): LabelSelector {
  if (selector === undefined) return {}
  return kind === 'ReplicationController' ? { matchLabels: selector as Record<string, string> } : selector
}
