import type { DomainEvent } from './events.ts'
import type { Whereabouts } from './move.ts'
import type { Side } from './move-steps.ts'
import type { StateAndReason } from './state.ts'

export type { Whereabouts }
/** What a move asks of who leads it. */
export type MoveGuide = {
  /** Finds out where a guest runs whose destination does not answer any more; takes as long as it takes. */
  readonly whereIsIt: () => Promise<Whereabouts>
  /** Ends the move before its next step; while the guest is copied `abortJob` does. */
  readonly cancelled?: AbortSignal
}

/**
 * A connection to libvirt. Its calls run one after the other off the event loop; who must not wait for a long one
 * opens another connection. A failed call rejects with `LibvirtError`.
 */
export type Connection = {
  /** Makes the domain known, or replaces its definition; it does not start. */
  defineXml(xml: string): Promise<Domain>
  /** Undefined when libvirt knows no such domain. */
  lookupByName(name: string): Promise<Domain | undefined>
  /** The host's capabilities as XML. */
  capabilities(): Promise<string>
  /** What guests of a machine and virtualisation type can have, as XML. */
  domainCapabilities(wanted: { arch?: string; machine?: string; virtType?: string }): Promise<string>
  /** The hypervisor's version, for example 10.0.2. */
  version(): Promise<string>
  /** The version of the libvirt at the other end. */
  libvirtVersion(): Promise<string>
  /** Events of all domains from now on, until the connection is closed. */
  onEvent(listener: (event: DomainEvent) => void): Promise<void>
  /** For the steps of a migration that arrives by this connection. */
  side(): Side
  /** Called once if the daemon goes away; not by `close`. */
  onLost(listener: () => void): void
  /** Ends the connection; the same promise each time. All must be closed before the process exits. */
  close(): Promise<void>
}

/** Where a change applies: to the running domain, to the definition that its next start uses, or to both. */
export type Scope = { readonly live?: boolean; readonly config?: boolean }

/** A domain by reference: `using` frees it. A freed domain refuses calls. */
export type Domain = Disposable & {
  readonly name: string
  create(options?: { paused?: boolean }): Promise<void>
  /** Asks the guest to shut down: by ACPI, by its agent, or by what libvirt thinks best. Does not wait for it. */
  shutdown(by?: 'default' | 'acpi' | 'agent'): Promise<void>
  /** Ends QEMU. With `graceful` never by SIGKILL: fails when QEMU does not end in time. */
  destroy(options?: { graceful?: boolean }): Promise<void>
  /** Forgets the definition and its snapshots. `keepNvram`: a file with UEFI variables stays, else it is an error. */
  undefine(options?: { keepNvram?: boolean }): Promise<void>
  suspend(): Promise<void>
  resume(): Promise<void>
  reset(): Promise<void>
  /** Asks the guest to reboot. */
  reboot(by: 'acpi' | 'agent'): Promise<void>
  state(): Promise<StateAndReason>
  /** The running domain's XML, or the definition's with `inactive`; with `migratable` as another daemon takes it. */
  xml(options?: { inactive?: boolean; migratable?: boolean }): Promise<string>
  /** Sets one element below `<metadata>`; undefined removes it. */
  setMetadata(element: string | undefined, namespace: { prefix: string; uri: string }, scope: Scope): Promise<void>
  /** The element of a namespace, undefined when there is none. */
  metadata(uri: string): Promise<string | undefined>
  info(): Promise<DomainInfo>
  /**
   * Moves the running domain to another daemon. Resolves when it runs there; rejects when it goes on here. Where the
   * destination's word on that is lost the domain stands still until `whereIsIt` answers.
   */
  migrate(destination: Connection, options: MigrateOptions, guide: MoveGuide): Promise<void>
  /** The job that keeps the domain busy, a migration for example; undefined when there is none. */
  job(): Promise<DomainJob | undefined>
  /** The last job that came to its end, at either end of a move; undefined when there was none. */
  completedJob(): Promise<CompletedJob | undefined>
  /** Ends that job; a migration so fails. */
  abortJob(): Promise<void>
  /** Lets a migration that was allowed to run the guest at its destination before its memory is there. */
  startPostCopy(): Promise<void>
  /** How long the guest may stand still at the end of a migration. */
  setMaxDowntime(milliseconds: number): Promise<void>
  /** Sets the guest's clock through its agent. */
  setTime(time: Date): Promise<void>
  /** Plugs a device in, given as its XML. */
  attachDevice(xml: string, scope: Scope): Promise<void>
  /** Asks the guest to let a device go; `deviceRemoved` tells when it has. */
  detachDevice(xml: string, scope: Scope): Promise<void>
  /** Changes what can be changed of a device that is there: the medium of a CD-ROM, the state of a link. */
  updateDevice(xml: string, scope: Scope): Promise<void>
  /** Makes a disk larger, by the name of its target. */
  blockResize(target: string, bytes: bigint): Promise<void>
  setVcpus(count: number, scope: Scope): Promise<void>
  /** Writes the guest's memory as an ELF core to a file that QEMU can reach. The guest is paused meanwhile. */
  coreDump(path: string): Promise<void>
  /** Through the guest's agent. */
  setUserPassword(user: string, password: string): Promise<void>
  /** Begins to measure how fast the guest changes its memory; `dirtyrate.*` of the statistics tells the result. */
  startDirtyRate(seconds: number): Promise<void>
  /** libvirt's statistics, by libvirt's names: `cpu.time`, `block.0.rd.bytes`. None that a down domain lacks. */
  stats(): Promise<DomainStatistics>
  /** The first screen's picture. */
  screenshot(): Promise<{ readonly mime: string; readonly data: Buffer }>
  /** A command in the agent's own JSON, answered in it. */
  agentCommand(command: string, timeoutSeconds: number): Promise<string>
}

/** Numbers of up to 64 bits are bigints. */
export type DomainStatistics = Readonly<Record<string, bigint | number | boolean | string>>

export type DomainInfo = {
  /** KiB */
  readonly maxMemory: number
  /** KiB that the guest uses now. */
  readonly memory: number
  readonly vcpus: number
  readonly cpuTimeNs: bigint
}

export type MigrateOptions = {
  /** Where the destination listens for the guest's memory. */
  readonly uri: string
  /** Disks that are copied, by their targets (`vda`), and where the destination listens for them. */
  readonly copied?: { readonly disks: readonly string[]; readonly uri: string }
  /** How the destination defines the domain, where that differs in what its guest does not see. */
  readonly destinationXml?: string | undefined
  /** MiB per second; 0 for no limit. */
  readonly bandwidth?: number
  readonly autoConverge?: boolean
  readonly postCopy?: boolean
  /** The guest is paused and stays so. */
  readonly paused?: boolean
  /** Leave out libvirt's checks of storage and caches. */
  readonly unsafe?: boolean
  readonly compressed?: boolean
  /** Connections for the memory; one unless given. */
  readonly parallelConnections?: number
}

export type DomainJob = {
  readonly elapsedMs: number
  /** Bytes of memory and disks. */
  readonly dataTotal: number
  readonly dataProcessed: number
  readonly dataRemaining: number
  /** Bytes of memory among them; 0 before memory is counted. */
  readonly memoryTotal: number
}

export type CompletedJob = Pick<DomainJob, 'elapsedMs' | 'dataTotal' | 'dataProcessed'> & {
  /** How long the guest stood still, from its stop here to its start there. */
  readonly downtimeMs?: number
}
