/** Reasons of events and conditions of a pool, each a stable word that users may match on. */
export const reason = {
  successfulCreate: 'SuccessfulCreate',
  successfulDelete: 'SuccessfulDelete',
  successfulUpdate: 'SuccessfulUpdate',
  failedScaleOut: 'FailedScaleOut',
  failedScaleIn: 'FailedScaleIn',
  failedUpdate: 'FailedUpdate',
  failedRevisionPruning: 'FailedRevisionPruning',
  paused: 'Paused',
  successfulPaused: 'SuccessfulPaused',
  /** Another word than that of replica sets, as in KubeVirt. */
  successfulResume: 'SuccessfulResume',
  /** The selector does not select what the template makes: the pool would create machines for ever. */
  invalidSelector: 'InvalidSelector',
} as const

/** What kept one pass from reaching its goal. */
export interface Problem {
  readonly reason: string
  readonly message: string
  /** False where only a change of the pool can help. */
  readonly retry: boolean
}
