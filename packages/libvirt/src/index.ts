export { connect } from './connection.ts'
export { errorCode, isLibvirtError, LibvirtError } from './error.ts'
export type { DomainEvent, Lifecycle } from './events.ts'
export type { DomainState, StateAndReason, StateReason } from './state.ts'
export type {
  CompletedJob,
  Connection,
  Domain,
  DomainInfo,
  DomainJob,
  DomainStatistics,
  MigrateOptions,
  MoveGuide,
  Scope,
  Whereabouts,
} from './types.ts'
