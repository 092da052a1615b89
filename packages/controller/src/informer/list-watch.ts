import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import {
  ApiError,
  WatchError,
  isForbidden,
  isNotFound,
  type KubeClient,
  type ListOptions,
  type WatchEvent,
} from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { pause } from '../pause.ts'
import { Backoff } from './backoff.ts'
import { isEarlierVersion } from '../resource-version.ts'

/** Which objects of the collection, and how much of each. */
export type Selection = Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'metadataOnly'>

export interface ListWatchOptions<T extends KubeObject> {
  readonly client: KubeClient
  readonly resource: ResourceType<T>
  readonly selection: Selection
  /** The API may not be there yet, or go again: then the collection is empty, and is looked for from time to time. */
  readonly optional: boolean
  readonly log: Logger
  /** What is kept of an object. Asked for each as soon as it is read: thousands of whole ones would fill the memory. */
  readonly keep: (object: T) => T
  /** The whole collection as it is now, of each object what is kept. */
  readonly onList: (objects: T[]) => void
  readonly onEvent: (event: WatchEvent<T>) => void
  /** The API server answered. */
  readonly onContact: () => void
  /** The server's state is older than what was seen; nothing of it was taken over yet. */
  readonly onWentBack: () => void
}

/** Half a page of client-go's: what a page is read into is garbage soon, and a larger one doubles a service's memory. */
const pageSize = 250
const healthyWatchMs = 500
/** A server that ends watches in good order is there and answers: changes must not wait long for the next watch. */
const endedMs = 5000
/** How long after its definition an optional API is noticed, at most. */
const absentMs = 20_000

/** Follows a collection until the signal is aborted: lists, watches, resumes, and lists again when it has to. */
export async function listAndWatch<T extends KubeObject>(
  options: ListWatchOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff()
  // Empty means that the next step is a list.
  let resourceVersion = ''
  let isBroken = false
  while (!signal.aborted) {
    let openedAt = Infinity
    let longestMs: number | undefined
    try {
      if (isBroken && resourceVersion !== '' && (await wentBack(options, resourceVersion, signal))) {
        options.log.warn(
          { resource: options.resource.plural },
          'the server went back to an earlier state, listing again',
        )
        options.onWentBack()
        resourceVersion = ''
      }
      isBroken = false
      if (resourceVersion === '') resourceVersion = await listAll(options, signal)
      openedAt = performance.now()
      for await (const next of watchFrom(options, resourceVersion, signal)) {
        resourceVersion = next
        backoff.reset()
      }
      longestMs = endedMs
    } catch (error) {
      if (signal.aborted) return
      // An API that we may not look at is none for us, and must not keep all others waiting.
      if (options.optional && (isNotFound(error) || isForbidden(error))) {
        options.onList([])
        resourceVersion = ''
        await pause(absentMs * (0.5 + Math.random() / 2), signal)
        continue
      }
      const relist = mustRelist(error)
      isBroken = true
      options.log.warn({ error, resource: options.resource.plural }, relist ? 'listing again' : 'watch ended, resuming')
      if (relist) {
        resourceVersion = ''
        openedAt = Infinity
      }
    }
    // A watch that lived for a while may be opened again at once; one that ends at once must not become a busy loop.
    if (performance.now() - openedAt > healthyWatchMs) backoff.reset()
    await pause(backoff.next(longestMs), signal)
  }
}

/** The resource versions that a watch passes. */
async function* watchFrom<T extends KubeObject>(
  { client, resource, selection, keep, onEvent, onContact }: ListWatchOptions<T>,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for await (const event of client.watch(resource, { ...selection, resourceVersion, signal })) {
    const next = event.object.metadata?.resourceVersion
    if (next === undefined) throw new WatchError(`${resource.plural}: an event has no resource version`)
    onContact()
    if (event.type !== 'BOOKMARK') onEvent({ type: event.type, object: keep(event.object) })
    yield next
  }
}

/** All pages of one consistent list. Answers its resource version. */
async function listAll<T extends KubeObject>(
  { client, resource, selection, keep, onList, onContact }: ListWatchOptions<T>,
  signal: AbortSignal,
): Promise<string> {
  const objects: T[] = []
  let page = undefined as string | undefined
  let resourceVersion = ''
  do {
    const list = await client.list(resource, { ...selection, limit: pageSize, continue: page, signal })
    onContact()
    for (const object of list.items) objects.push(keep(object))
    page = list.metadata.continue === '' ? undefined : list.metadata.continue
    resourceVersion = list.metadata.resourceVersion ?? ''
  } while (page !== undefined)
  if (resourceVersion === '') throw new WatchError(`${resource.plural}: the list has no resource version`)
  onList(objects)
  return resourceVersion
}

/**
 * Whether the server's state is older than what was seen, as after a backup was put back: a watch from a version that is
 * still to come would be silent until then. Asked where a connection broke, since no server lives through that.
 */
async function wentBack<T extends KubeObject>(
  { client, resource, selection, onContact }: ListWatchOptions<T>,
  seen: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { metadata } = await client.list(resource, { ...selection, limit: 1, signal })
  onContact()
  return isEarlierVersion(metadata.resourceVersion ?? '', seen) === true
}

/** A connection that broke loses nothing: the watch goes on from the last version. Anything else cannot be trusted. */
function mustRelist(error: unknown): boolean {
  if (error instanceof WatchError) return true
  return error instanceof ApiError && error.code < 500
}
