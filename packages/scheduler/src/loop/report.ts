import { pods, type Pod } from '@kubevirt-ts/api'
import { findCondition, type EventRecorder } from '@kubevirt-ts/controller'
import { isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

export interface Failure {
  readonly reason: 'Unschedulable' | 'SchedulerError'
  readonly message: string
  /** The node on which room was made. */
  readonly nominatedNode?: string
}

export interface ReporterOptions {
  readonly client: KubeClient
  readonly events: Pick<EventRecorder, 'event'>
  readonly log: Logger
}

/** Kubernetes' limit on an event's message. */
const maxMessage = 1024

/** Tells users of a pod what became of it, in kube-scheduler's words. */
export class Reporter {
  readonly #options: ReporterOptions

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  /** An event and the condition PodScheduled. Never rejects. */
  async failed(pod: Pod, failure: Failure): Promise<void> {
    const { message, reason } = failure
    const { log, events } = this.#options
    log.info({ pod: nameOf(pod), reason }, `unable to schedule pod: ${message}`)
    events.event(asPod(pod), 'Warning', 'FailedScheduling', truncated(message))
    if (isTold(pod, failure)) return
    try {
      await this.#writeStatus(pod, failure)
    } catch (error) {
      if (!isNotFound(error)) log.warn({ error, pod: nameOf(pod) }, 'the condition PodScheduled could not be written')
    }
  }

  scheduled(pod: Pod, node: string): void {
    const { log, events } = this.#options
    log.info({ pod: nameOf(pod), node }, 'pod bound')
    events.event(asPod(pod), 'Normal', 'Scheduled', `Successfully assigned ${nameOf(pod)} to ${node}`)
  }

  async #writeStatus(pod: Pod, { reason, message, nominatedNode }: Failure): Promise<void> {
    const { name, namespace = '', uid } = pod.metadata
    const before = findCondition(pod.status?.conditions, 'PodScheduled')
    const now = `${new Date().toISOString().slice(0, 19)}Z`
    const lastTransitionTime = before?.status === 'False' ? (before.lastTransitionTime ?? now) : now
    const condition = { type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime }
    const status = {
      conditions: [condition],
      ...(nominatedNode === undefined ? {} : { nominatedNodeName: nominatedNode }),
    }
    // With the UID a new pod of the same name is left alone.
    const body = { metadata: { uid }, status }
    await this.#options.client.patch(pods, { name, namespace }, body, { type: 'strategic', subresource: 'status' })
  }
}

function isTold({ status }: Pod, { reason, message, nominatedNode }: Failure): boolean {
  const told = findCondition(status?.conditions, 'PodScheduled')
  return (
    told?.status === 'False' &&
    told.reason === reason &&
    told.message === message &&
    (nominatedNode === undefined || status?.nominatedNodeName === nominatedNode)
  )
}

function truncated(message: string): string {
  return message.length <= maxMessage ? message : `${message.slice(0, maxMessage - 4)} ...`
}

function asPod(pod: Pod): Pod {
  return pod.kind === undefined ? { ...pod, apiVersion: 'v1', kind: 'Pod' } : pod
}

export function nameOf({ metadata: { namespace, name } }: Pod): string {
  return `${namespace}/${name}`
}
