import { keyOf, runWorkers, setCondition } from '@kubevirt-ts/controller'
import type { EventRecorder, Informer, WorkQueue } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { patiently } from '../lost-race.ts'
import { unservedKinds } from './kinds.ts'
import type { Request, UnservedKind } from './kinds.ts'

const notServed = 'NotServed'

export interface Deps {
  readonly client: KubeClient
  /** The informer of each kind, by its plural. */
  readonly requests: Readonly<Record<string, Pick<Informer<Request>, 'get' | 'on'>>>
  readonly events: Pick<EventRecorder, 'event'>
  readonly now: () => Date
}

/** Each new request wakes its own key, which begins with its kind. */
export function watchUnserved({ requests }: Deps, queue: WorkQueue): void {
  for (const { resource } of unservedKinds) {
    const wake = (request: Request): void => queue.add(`${resource.plural}/${keyOf(request)}`)
    requests[resource.plural]?.on({ added: wake, updated: (_, request) => wake(request) })
  }
}

/** Tells whoever made the request that nobody will serve it, and what to do instead; an ignored one is waited for forever. */
export async function reconcile(key: string, deps: Deps): Promise<void> {
  const [plural = '', ...rest] = key.split('/')
  const kind = unservedKinds.find(({ resource }) => resource.plural === plural)
  const request = deps.requests[plural]?.get(rest.join('/'))
  if (kind === undefined || request === undefined || request.metadata.deletionTimestamp !== undefined) return
  const message = messageOf(kind)
  const before = request.status?.conditions
  const conditions = setCondition(before, { type: 'Ready', status: 'False', reason: notServed, message }, deps.now())
  if (conditions === before) return
  const told = { ...request, status: { ...request.status, conditions: [...conditions] } }
  try {
    await deps.client.update(kind.resource, told, { subresource: 'status' })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  deps.events.event(request, 'Warning', notServed, message)
}

function messageOf({ resource, instead }: UnservedKind): string {
  return `this release of kubevirt-ts does not serve ${resource.kind}: delete this object, and ${instead}`
}

/** Works on the queue until the signal is aborted. */
export function runUnservedController(queue: WorkQueue, deps: Deps, log: Logger, signal: AbortSignal): Promise<void> {
  return runWorkers({ queue, workers: 1, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
