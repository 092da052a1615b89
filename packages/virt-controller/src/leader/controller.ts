import { EventRecorder, WorkQueue } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger, Registry } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import type { Informers } from '../informers.ts'
import type { Metrics } from '../metrics/transitions.ts'
import type { Options } from '../options.ts'

/** What the leader's controllers are made of. */
export interface LeaderParts {
  readonly client: KubeClient
  readonly informers: Informers
  readonly config: ClusterConfig
  readonly metrics: Metrics
  readonly registry: Registry
  readonly options: Options
  readonly log: Logger
}

/** A controller: its queue, what wakes it, and its workers. */
export type Controller = (parts: LeaderParts, shared: Shared, signal: AbortSignal) => Promise<void>

/** What controllers have in common, or each its own of. */
export interface Shared {
  readonly queue: (name: string) => WorkQueue
  readonly recorder: (component: string) => EventRecorder
  readonly now: () => Date
}
