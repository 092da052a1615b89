/** What a domain does, in libvirt's words (virDomainState). */
export type DomainState =
  | 'nostate'
  | 'running'
  | 'blocked'
  | 'paused'
  | 'shutdown'
  | 'shutoff'
  | 'crashed'
  | 'pmsuspended'

const reasonsByState = {
  nostate: ['unknown'],
  running: [
    'unknown',
    'booted',
    'migrated',
    'restored',
    'from snapshot',
    'unpaused',
    'migration canceled',
    'save canceled',
    'wakeup',
    'crashed',
    'post-copy',
    'post-copy failed',
  ],
  blocked: ['unknown'],
  paused: [
    'unknown',
    'user',
    'migration',
    'save',
    'dump',
    'ioerror',
    'watchdog',
    'from snapshot',
    'shutting down',
    'snapshot',
    'crashed',
    'starting up',
    'post-copy',
    'post-copy failed',
    'api error',
  ],
  shutdown: ['unknown', 'user'],
  shutoff: ['unknown', 'shutdown', 'destroyed', 'crashed', 'migrated', 'saved', 'failed', 'from snapshot', 'daemon'],
  crashed: ['unknown', 'panicked'],
  pmsuspended: ['unknown'],
} as const satisfies Record<DomainState, readonly string[]>

/** Why, in virsh's words; which of them occur depends on the state. */
export type StateReason = (typeof reasonsByState)[DomainState][number]

export type StateAndReason = { readonly state: DomainState; readonly reason: StateReason }

/** The words for libvirt's two numbers. What a newer libvirt adds is `nostate` or `unknown`. */
export function stateOf(state: number, reason: number): StateAndReason {
  const name = (Object.keys(reasonsByState) as DomainState[])[state] ?? 'nostate'
  return { state: name, reason: reasonsByState[name][reason] ?? 'unknown' }
}
