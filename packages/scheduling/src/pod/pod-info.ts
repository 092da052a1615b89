import type { Pod } from '@kubevirt-ts/api'
import { affinityTermsOf, type AffinityTerms } from './affinity-terms.ts'
import { hostPortsOf, type HostPort } from './host-ports.ts'
import { claimNameOf, volumesOf } from './pod.ts'
import { podRequests } from './requests.ts'
import type { Resources } from './resources.ts'

/** A pod with what scheduling asks of it again and again, worked out once. */
export interface PodInfo {
  readonly pod: Pod
  readonly requests: Resources
  /** With the assumption for containers that ask for nothing. */
  readonly nonZeroRequests: Resources
  readonly hostPorts: readonly HostPort[]
  readonly terms: AffinityTerms
  readonly hasAffinity: boolean
  /** Keys `namespace/name` of its claims. */
  readonly claims: readonly string[]
}

const known = new WeakMap<Pod, PodInfo>()

/** Pods are never changed in place, so an object's answer holds for its life. */
export function podInfoOf(pod: Pod): PodInfo {
  const info = known.get(pod)
  if (info !== undefined) return info
  const made = makePodInfo(pod)
  known.set(pod, made)
  return made
}

function makePodInfo(pod: Pod): PodInfo {
  const terms = affinityTermsOf(pod)
  return {
    pod,
    requests: podRequests(pod),
    nonZeroRequests: podRequests(pod, { assumeMissing: true }),
    hostPorts: hostPortsOf(pod),
    terms,
    hasAffinity: Object.values(terms).some((list: readonly unknown[]) => list.length > 0),
    claims: volumesOf(pod).flatMap((volume) => {
      const name = claimNameOf(pod, volume)
      return name === undefined ? [] : [`${pod.metadata.namespace}/${name}`]
    }),
  }
}
