/** Reasons of events and conditions of a migration, each a stable word that users may match on. */
export const reason = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  successfulHandOver: 'SuccessfulHandOver',
  failedHandOver: 'FailedHandOver',
  successfulMigration: 'SuccessfulMigration',
  failedMigration: 'FailedMigration',
  successfulAbort: 'SuccessfulAbortMigration',
  failedAbort: 'FailedAbortMigration',
  targetPodUnschedulable: 'migrationTargetPodUnschedulable',
  successfulDelete: 'SuccessfulDelete',
  failedDelete: 'FailedDelete',
  /** The guest has volumes that go once what they are for is done; it moves then. */
  utilityVolumesPending: 'UtilityVolumeMigrationPending',
  /** Told on the VMI: no other node has the processor that the guest got from its first one. */
  noSuitableNodes: 'NoSuitableNodesForHostModelMigration',
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
