/** Reasons of events and conditions of a migration, each a stable word that users may match on. */
export const reason = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  successfulHandOver: 'SuccessfulHandOver',
  failedHandOver: 'FailedHandOver',
  successfulMigration: 'SuccessfulMigration',
  failedMigration: 'FailedMigration',
  successfulAbort: 'SuccessfulAbortMigration',
  targetPodUnschedulable: 'migrationTargetPodUnschedulable',
  successfulDelete: 'SuccessfulDelete',
  /** Told on the VMI: an automatic migration waits after failures. */
  backoff: 'MigrationBackoff',
} as const

/** What kept one pass from reaching its goal. */
export interface Problem {
  readonly reason: string
  readonly message: string
  /** The namespace's quota refuses the target pod. */
  readonly isQuota: boolean
}
