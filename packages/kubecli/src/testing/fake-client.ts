import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import type { KubeClient } from '../kube-client.ts'

/** One call that reached the fake, in order. */
export interface FakeCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'request'
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  readonly body?: unknown
}

export interface FakeClient extends KubeClient {
  /** Every call, oldest first. */
  readonly calls: FakeCall[]
  /** The calls that write. */
  writes(): FakeCall[]
  /** What the server holds now. */
  objects<T>(resource: ResourceType<T>): T[]
  /** Makes matching calls fail: throw in it. */
  intercept(interceptor: (call: FakeCall) => void | Promise<void>): () => void
}

/** An API server in memory: resource versions, conflicts, finalizers, JSON and merge patches, watches. */
export function fakeClient(objects: readonly KubeObject[] = []): FakeClient {
  throw new Error(`not written yet: ${objects.length}`)
}
