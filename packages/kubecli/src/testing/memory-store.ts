import { apiVersionOf, type KubeObject, type ResourceType } from '@kubevirt-ts/api'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ObjectReference, PatchOptions, WatchEvent } from '../kube-client.ts'
import { ChangeLog } from './change-log.ts'
import { defined, refuseOutdated, throughDoor } from './doors.ts'
import { patched, PatchRefused } from './patches.ts'
import { refusal } from './refusal.ts'
import type { Selection } from './selectors.ts'

interface Door {
  readonly subresource?: string
  readonly dryRun?: boolean
}

/** Objects as an API server keeps them: versions, generations, finalizers, and what changed since. */
export class MemoryStore {
  readonly #objects = new Map<string, KubeObject>()
  readonly #log = new ChangeLog()
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
  changes(
    resource: ResourceType<unknown>,
    after: number,
    selection: Selection,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<WatchEvent<KubeObject>, void> {
    return this.#log.events(typeKey(resource), after, selection, signal)
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
    else this.#objects.set(key, frozen(structuredClone(after)))
    const version = after === undefined ? Number(this.#next()) : Number(after.metadata.resourceVersion)
    this.#log.add({ version, resource: type, ...(before ? { before } : {}), ...(after ? { after } : {}) })
  }
}

/** All of it: who changes what the store shows changes nothing, and is told. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
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
