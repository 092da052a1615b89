import { events as eventResource } from '@kubevirt-ts/api'
import type { Event, Pod } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { isTerminating } from '../pod-state.ts'
import { kubeletReasons } from './reasons.ts'
import type { Problem } from './reasons.ts'

/** A pod that a node has may take so long until its kubelet is asked what it waits for. */
const askAfterMs = 20_000
/** How long an answer counts; the kubelet itself tries again after 2 minutes at most. */
const answerMs = 60_000
/** Messages of drivers can be long. */
const maxLength = 1024

const complained: ReadonlySet<string> = new Set(kubeletReasons)

/** Events after which a complaint before them is cured: only a large image is waited for then. */
const goesOn: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started'])

export interface Complaint {
  readonly problem?: Problem
  /** Milliseconds until the pod is to be looked at again; absent where it does not hang. */
  readonly requeueAfter?: number
}

const none: Complaint = {}

/**
 * What the kubelet says of pods whose containers do not even begin to start: a folder or secret that is missing, a volume
 * that cannot be attached, a network that cannot be joined. A pod's status tells nothing of it, only events do.
 */
export class KubeletComplaints {
  readonly #answers = new Map<string, { readonly at: number; readonly problem: Problem | undefined }>()
  readonly #client: Pick<KubeClient, 'list'>
  readonly #now: () => Date

  constructor(client: Pick<KubeClient, 'list'>, now: () => Date) {
    this.#client = client
    this.#now = now
  }

  /** Asks for the events of a pod that hangs, once a minute. Nothing is thrown: who may not read events tells less. */
  async about(pod: Pod | undefined): Promise<Complaint> {
    const since = pod === undefined ? undefined : hangsSince(pod)
    if (pod === undefined || since === undefined) return none
    const uid = pod.metadata.uid ?? ''
    const now = this.#now().getTime()
    const patience = since + askAfterMs - now
    if (patience > 0) return { requeueAfter: patience }
    const known = this.#answers.get(uid)
    const isFresh = known !== undefined && now - known.at < answerMs
    const problem = isFresh ? known.problem : await this.#ask(pod)
    if (!isFresh) this.#answers.set(uid, { at: now, problem })
    const requeueAfter = isFresh ? known.at + answerMs - now : answerMs
    return { ...(problem === undefined ? {} : { problem }), requeueAfter }
  }

  /** The pod is gone or has begun to start. */
  forget(pod: Pod): void {
    this.#answers.delete(pod.metadata.uid ?? '')
  }

  async #ask({ metadata, spec }: Pod): Promise<Problem | undefined> {
    const { namespace, name, uid } = metadata
    const fieldSelector = `involvedObject.uid=${uid}`
    const { items } = await this.#client
      .list(eventResource, { namespace: namespace ?? '', fieldSelector, limit: 100 })
      .catch(() => ({ items: [] as Event[] }))
    const steps = items.filter(({ reason = '' }) => complained.has(reason) || goesOn.has(reason))
    const latest = steps.toSorted((a, b) => told(b) - told(a))[0]
    if (latest?.reason === undefined || !complained.has(latest.reason)) return undefined
    const message = `pod ${name} cannot start on node ${spec.nodeName}: ${(latest.message ?? '').slice(0, maxLength)}`
    return { reason: latest.reason, message, retry: false }
  }
}

/** Since when a node has had the pod, in milliseconds of the epoch; undefined where anything of it has started or ended. */
export function hangsSince(pod: Pod): number | undefined {
  const { metadata, spec, status } = pod
  if (spec.nodeName === undefined || isTerminating(pod) || (status?.phase ?? 'Pending') !== 'Pending') return undefined
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const isBegun = containers.some(({ state }) => state?.running !== undefined || state?.terminated !== undefined)
  if (isBegun) return undefined
  const bound = status?.conditions?.find(({ type }) => type === 'PodScheduled')?.lastTransitionTime
  const since = Date.parse(bound ?? metadata.creationTimestamp ?? '')
  return Number.isNaN(since) ? undefined : since
}

function told({ lastTimestamp, eventTime, metadata }: Event): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '') || 0
}
