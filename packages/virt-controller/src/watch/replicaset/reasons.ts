/** Reasons of events and conditions of a replica set, each a stable word that users may match on. */
export const reason = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  successfulDelete: 'SuccessfulDelete',
  failedDelete: 'FailedDelete',
  paused: 'Paused',
  successfulPaused: 'SuccessfulPaused',
  successfulResumed: 'SuccessfulResumed',
  /** The selector does not select what the template makes: the set would create guests for ever. */
  invalidSelector: 'InvalidSelector',
} as const

/** What kept one pass from reaching its goal. */
export interface Problem {
  readonly reason: string
  readonly message: string
  /** False where only a change of the set can help. */
  readonly retry: boolean
}
