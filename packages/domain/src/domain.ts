import type { DomainSpec } from './spec.ts'

/** The run state of a domain, in KubeVirt's words. */
export type LifeCycle =
  | 'NoState'
  | 'Running'
  | 'Blocked'
  | 'Paused'
  | 'Shutdown'
  | 'Crashed'
  | 'PMSuspended'
  | 'Shutoff'

/** Why a domain is in its state. `Unknown` where libvirt gives no reason or an unlisted one. */
export type StateChangeReason =
  | 'Unknown'
  | 'Shutdown'
  | 'Destroyed'
  | 'Crashed'
  | 'Migrated'
  | 'Saved'
  | 'Failed'
  | 'FromSnapshot'
  | 'Panicked'
  | 'Daemon'
  | 'Migration'
  | 'User'
  | 'Save'
  | 'Dump'
  | 'IOError'
  | 'Watchdog'
  | 'ShuttingDown'
  | 'Snapshot'
  | 'CrashedGuest'
  | 'StartingUp'
  | 'Postcopy'
  | 'PostcopyFailed'
  | 'Booted'
  | 'Unpaused'
  | 'Wakeup'

/** What the guest agent says of one network interface. */
export type InterfaceStatus = {
  readonly name?: string
  readonly mac?: string
  readonly ip?: string
  readonly ips?: readonly string[]
  readonly interfaceName?: string
  readonly infoSource?: string
}

export type GuestOSInfo = {
  readonly name?: string
  readonly kernelRelease?: string
  readonly version?: string
  readonly prettyName?: string
  readonly versionId?: string
  readonly kernelVersion?: string
  readonly machine?: string
  readonly id?: string
}

export type DomainStatus = {
  readonly status: LifeCycle
  readonly reason: StateChangeReason
  /** The signal that ended QEMU, for a guest that did not end by itself. */
  readonly signal?: string
  /** Whether the guest's agent holds its channel open. */
  readonly agentConnected?: boolean
  readonly interfaces?: readonly InterfaceStatus[]
  readonly osInfo?: GuestOSInfo
  readonly fsFreezeStatus?: 'frozen' | 'thawed'
}

/**
 * A guest's domain as the launcher reports it: this, as JSON, is what `HandleDomainEvent` and `GetDomain` carry.
 * Its uid is the VirtualMachineInstance's, taken from the domain's metadata.
 */
export type Domain = {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    /** When the shutdown of the guest began, as RFC 3339. */
    readonly deletionTimestamp?: string
    readonly resourceVersion?: string
  }
  readonly spec: DomainSpec
  readonly status: DomainStatus
}

/** libvirt's name of a guest's domain. */
export function domainName(namespace: string, name: string): string {
  return `${namespace}_${name}`
}

/** The inverse of `domainName`; a Kubernetes namespace has no underscore. */
export function splitDomainName(domain: string): { namespace: string; name: string } {
  const at = domain.indexOf('_')
  return at < 0
    ? { namespace: 'default', name: domain }
    : { namespace: domain.slice(0, at), name: domain.slice(at + 1) }
}
