import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

export interface LeaderElectionOptions {
  readonly client: KubeClient
  /** Of the Lease. */
  readonly namespace: string
  readonly name: string
  /** Who we are, unique among the candidates. */
  readonly identity: string
  readonly leaseDurationMs?: number
  readonly renewDeadlineMs?: number
  readonly retryPeriodMs?: number
  /** Runs while we lead; its signal is aborted before the lease can belong to another. */
  readonly onStarted: (signal: AbortSignal) => void | Promise<void>
  /** After leading ended, for whatever reason. */
  readonly onStopped?: () => void
  /** Each newly seen holder. */
  readonly onNewLeader?: (identity: string) => void
  readonly log: Logger
  /** Ends the election; a held lease is given back. */
  readonly signal: AbortSignal
}

/** Takes part in the election until the signal is aborted. Rejects with reason `LeadershipLost` when the lease was lost. */
export async function runLeaderElection(options: LeaderElectionOptions): Promise<void> {
  throw new Error(`not written yet: ${options.name}`)
}
