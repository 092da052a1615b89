import { apiVersionOf, type KubeObject, type ResourceType } from '@kubevirt-ts/api'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ObjectReference, PatchOptions, WatchEvent } from '../kube-client.ts'
import { patched, PatchRefused } from './patches.ts'
import { refusal } from './refusal.ts'
import { isSelected, type Selection } from './selectors.ts'

interface Change {
  readonly version: number
  readonly resource: string
  readonly before?: KubeObject
  readonly after?: KubeObject
}

interface Door {
  readonly subresource?: string
  readonly dryRun?: boolean
}

/** Kinds whose status only changes through the subresource, as on the real server. */
const kindsWithStatus = new Set([
  'DaemonSet',
  'Deployment',
  'KubeVirt',
  'Node',
  'PersistentVolumeClaim',
  'Pod',
  'VirtualMachine',
  'VirtualMachineInstanceMigration',
  'VirtualMachineInstanceReplicaSet',
  'VirtualMachinePool',
])

/** Objects as an API server keeps them: versions, generations, finalizers, and what changed since. */
export class MemoryStore {
  readonly #objects = new Map<string, KubeObject>()
  readonly #history: Change[] = []
  readonly #wake = new Set<() => void>()
  #version = 1

  constructor(objects: readonly KubeObject[]) {
    for (const object of objects) {
      const { apiVersion, kind } = object
      if (apiVersion === undefined || kind === undefined)
        throw new Error('objects for the fake need apiVersion and kind')
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
      this.#put(`${group}/${kind}`, undefined, this.#fresh(object))
    }
  }

  get version(): number {
    return this.#version
  }

  all(resource: ResourceType<unknown>): KubeObject[] {
    const prefix = `${typeKey(resource)} `
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object)
  }

  find(resource: ResourceType<unknown>, reference: ObjectReference): KubeObject | undefined {
    return this.#objects.get(objectKey(typeKey(resource), reference))
  }

  /** Throws what the API server answers where there is none. */
  existing(resource: ResourceType<unknown>, reference: ObjectReference): KubeObject {
    const object = this.find(resource, reference)
    if (object === undefined) throw refusal(404, 'NotFound', `${resource.plural} "${reference.name}" not found`)
    return object
  }

  create(resource: ResourceType<unknown>, object: KubeObject, { dryRun }: Door): KubeObject {
    const fresh = this.#fresh({ ...object, kind: resource.kind, apiVersion: apiVersionOf(resource) })
    if (dryRun !== true) this.#put(typeKey(resource), undefined, fresh)
    return structuredClone(fresh)
  }

  patch(resource: ResourceType<unknown>, before: KubeObject, body: unknown, options: PatchOptions): KubeObject {
    let sent: KubeObject
    try {
      sent = patched(before, body, options.type)
    } catch (error) {
      if (error instanceof PatchRefused) throw refusal(422, 'Invalid', error.message)
      throw error
    }
    return this.replace(resource, before, sent, options)
  }

  /** What the API server makes of a whole new state: server fields stay, status and the rest have their own doors. */
  replace(resource: ResourceType<unknown>, before: KubeObject, sent: KubeObject, door: Door): KubeObject {
    refuseOutdated(resource, before, sent)
    const wanted = throughDoor(before, sent, door.subresource)
    const { uid, creationTimestamp, deletionTimestamp, generation, resourceVersion, name, namespace } = before.metadata
    const kept = { uid, creationTimestamp, deletionTimestamp, generation, resourceVersion, name, namespace }
    const after = {
      ...wanted,
      kind: before.kind,
      apiVersion: before.apiVersion,
      metadata: { ...wanted.metadata, ...defined(kept) },
    } as KubeObject
    if (isDeepStrictEqual(after, before)) return structuredClone(before)
    if (!isDeepStrictEqual(specOf(after), specOf(before))) after.metadata.generation = (generation ?? 0) + 1
    after.metadata.resourceVersion = this.#next()
    const isGone = deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0
    if (door.dryRun !== true) this.#put(typeKey(resource), isGone ? after : before, isGone ? undefined : after)
    return structuredClone(after)
  }

  /** Marks an object that finalizers hold, else takes it away. */
  remove(resource: ResourceType<unknown>, before: KubeObject): void {
    if ((before.metadata.finalizers ?? []).length === 0) return this.#put(typeKey(resource), before, undefined)
    if (before.metadata.deletionTimestamp !== undefined) return
    const deletionTimestamp = `${new Date().toISOString().slice(0, 19)}Z`
    const after = { ...before, metadata: { ...before.metadata, deletionTimestamp, resourceVersion: this.#next() } }
    this.#put(typeKey(resource), before, after)
  }

  /** Events after a version as they come, until the signal is aborted. */
  async *changes(
    resource: ResourceType<unknown>,
    after: number,
    selection: Selection,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<WatchEvent<KubeObject>, void> {
    let seen = after
    while (signal?.aborted !== true) {
      const changes = this.#history.filter((change) => change.version > seen && change.resource === typeKey(resource))
      for (const change of changes) {
        seen = change.version
        const event = eventOf(change, selection)
        if (event !== undefined) yield structuredClone(event)
      }
      if (changes.length === 0) await this.#nextChange(signal)
    }
  }

  #fresh(object: KubeObject): KubeObject {
    const now = `${new Date().toISOString().slice(0, 19)}Z`
    const { metadata } = object
    return structuredClone({
      ...object,
      metadata: {
        ...metadata,
        uid: metadata.uid ?? randomUUID(),
        creationTimestamp: metadata.creationTimestamp ?? now,
        generation: metadata.generation ?? 1,
        resourceVersion: this.#next(),
      },
    })
  }

  #next(): string {
    this.#version += 1
    return String(this.#version)
  }

  #put(type: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const key = objectKey(type, referenceOf(after ?? before!))
    if (after === undefined) this.#objects.delete(key)
    else this.#objects.set(key, after)
    const version = after === undefined ? Number(this.#next()) : Number(after.metadata.resourceVersion)
    this.#history.push({ version, resource: type, ...(before ? { before } : {}), ...(after ? { after } : {}) })
    for (const wake of this.#wake) wake()
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#wake.add(wake)
    signal?.addEventListener('abort', wake)
    await promise
    signal?.removeEventListener('abort', wake)
    this.#wake.delete(wake)
  }
}

function throughDoor(before: KubeObject, sent: KubeObject, subresource: string | undefined): KubeObject {
  const statusOf = (object: KubeObject) => (object as { status?: unknown }).status
  if (subresource === 'status') {
    // Of a pod its labels come through this door too, of a custom resource nothing but the status.
    const labels = before.kind === 'Pod' ? sent.metadata.labels : before.metadata.labels
    const metadata = { ...before.metadata, ...defined({ labels }) }
    return { ...before, metadata, ...defined({ status: statusOf(sent) }) } as KubeObject
  }
  if (!kindsWithStatus.has(before.kind ?? '')) return sent
  const { status: _, ...rest } = sent as KubeObject & { status?: unknown }
  return { ...rest, ...defined({ status: statusOf(before) }) }
}

/** A change as a watch with this selection sees it: leaving the selection looks like a deletion. */
function eventOf({ before, after, version }: Change, selection: Selection): WatchEvent<KubeObject> | undefined {
  const was = before !== undefined && isSelected(before, selection)
  const is = after !== undefined && isSelected(after, selection)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after }
  if (!was) return undefined
  const last = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } }
  return { type: 'DELETED', object: last }
}

/** A body that names a version or a UID is meant for that one alone, also where it is a patch. */
function refuseOutdated({ plural }: ResourceType<unknown>, before: KubeObject, { metadata }: KubeObject): void {
  const { resourceVersion, uid } = metadata
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
    const text = `${plural} "${before.metadata.name}" was modified; apply the change to its newest version`
    throw refusal(409, 'Conflict', text)
  }
  if (uid !== undefined && uid !== before.metadata.uid) {
    throw refusal(409, 'Conflict', `${plural} "${before.metadata.name}" has another UID`)
  }
}

function typeKey(resource: ResourceType<unknown>): string {
  return `${resource.group}/${resource.kind}`
}

function objectKey(type: string, { namespace, name }: ObjectReference): string {
  return `${type} ${namespace ?? ''}/${name}`
}

export function referenceOf({ metadata: { namespace, name } }: KubeObject): ObjectReference {
  return namespace === undefined ? { name } : { namespace, name }
}

function specOf(object: KubeObject): unknown {
  return (object as { spec?: unknown }).spec
}

function defined<V extends object>(values: V): V {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as V
}
