/** What a VM's controller does about its guest. */
export const runStrategy = {
  /** A guest always runs; one that ended is started again. */
  always: 'Always',
  /** No guest runs. */
  halted: 'Halted',
  /** Only start and stop requests begin and end a guest. */
  manual: 'Manual',
  /** Started again after a failure, not after an orderly shutdown. */
  rerunOnFailure: 'RerunOnFailure',
  /** Started once and never again. */
  once: 'Once',
  /** Waits for a guest that arrives from another cluster. */
  waitAsReceiver: 'WaitAsReceiver',
} as const

export type VirtualMachineRunStrategy = (typeof runStrategy)[keyof typeof runStrategy]

/** Actions in `status.stateChangeRequests` of a VM. */
export const stateChangeAction = { start: 'Start', stop: 'Stop' } as const
export type StateChangeAction = (typeof stateChangeAction)[keyof typeof stateChangeAction]

export const evictionStrategy = {
  none: 'None',
  liveMigrate: 'LiveMigrate',
  liveMigrateIfPossible: 'LiveMigrateIfPossible',
  external: 'External',
} as const

/** `spec.startStrategy` of a VMI: the guest starts paused. */
export const startStrategyPaused = 'Paused'
