import {
  parseDomain,
  splitDomainName,
  type Domain,
  type LifeCycle,
  type MigrationMetadata,
  type StateChangeReason,
} from '@kubevirt-ts/domain'
import type { Domain as LibvirtDomain, DomainState, StateReason } from '@kubevirt-ts/libvirt'

const lifeCycles: Readonly<Record<DomainState, LifeCycle>> = {
  nostate: 'NoState',
  running: 'Running',
  blocked: 'Blocked',
  paused: 'Paused',
  shutdown: 'Shutdown',
  shutoff: 'Shutoff',
  crashed: 'Crashed',
  pmsuspended: 'PMSuspended',
}

const reasons: Readonly<Partial<Record<StateReason, StateChangeReason>>> = {
  booted: 'Booted',
  unpaused: 'Unpaused',
  wakeup: 'Wakeup',
  user: 'User',
  migration: 'Migration',
  save: 'Save',
  dump: 'Dump',
  ioerror: 'IOError',
  watchdog: 'Watchdog',
  'shutting down': 'ShuttingDown',
  snapshot: 'Snapshot',
  'starting up': 'StartingUp',
  'post-copy': 'Postcopy',
  'post-copy failed': 'PostcopyFailed',
  shutdown: 'Shutdown',
  destroyed: 'Destroyed',
  crashed: 'Crashed',
  migrated: 'Migrated',
  saved: 'Saved',
  failed: 'Failed',
  'from snapshot': 'FromSnapshot',
  daemon: 'Daemon',
  panicked: 'Panicked',
}

/** What the launcher knows of the guest beside what libvirt says. */
export type GuestFacts = Pick<Domain['status'], 'agentConnected' | 'interfaces' | 'osInfo' | 'fsFreezeStatus'>

/** The domain as virt-handler is told of it. */
export async function reportDomain(
  domain: LibvirtDomain,
  facts: GuestFacts,
  migration?: MigrationMetadata,
): Promise<Domain> {
  const { state, reason } = await domain.state()
  const spec = withMigration(parseDomain(await domain.xml()), migration)
  const { graceperiod, uid } = spec.metadata?.kubevirt ?? {}
  const deletionTimestamp = graceperiod?.deletionTimestamp
  const agentConnected = agentIsConnected(spec) ?? facts.agentConnected
  return {
    metadata: {
      ...splitDomainName(domain.name),
      uid: typeof uid === 'string' ? uid : '',
      ...(typeof deletionTimestamp === 'string' ? { deletionTimestamp } : {}),
    },
    spec,
    status: { status: lifeCycles[state], reason: reasons[reason] ?? 'Unknown', ...facts, agentConnected },
  }
}

/** The running domain tells whether the guest holds the agent's channel open; undefined for one that does not run. */
function agentIsConnected({ devices }: Domain['spec']): boolean | undefined {
  const channel = devices.channel?.find(({ target }) => target.$name === 'org.qemu.guest_agent.0')
  return channel?.target.$state === undefined ? undefined : channel.target.$state === 'connected'
}

/** While a guest moves its definition cannot be changed, so this part of its metadata is added to the report alone. */
function withMigration(spec: Domain['spec'], migration: MigrationMetadata | undefined): Domain['spec'] {
  if (migration === undefined) return spec
  return { ...spec, metadata: { ...spec.metadata, kubevirt: { ...spec.metadata?.kubevirt, migration } } }
}
