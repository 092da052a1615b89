import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { MigrationMetadata } from '@kubevirt-ts/domain'
import type { Whereabouts } from '@kubevirt-ts/libvirt'
import type { Lane, Logger } from '@kubevirt-ts/service'
import type { LibvirtAccess } from '../daemons/libvirt-access.ts'
import type { Hooks } from '../hooks/index.ts'
import type { LauncherOptions } from '../options.ts'
import type { Places } from '../places.ts'
import type { AgentFacts } from './agent/facts.ts'
import type { GuestFacts } from './domain-report.ts'
import type { Arrival } from './migration/arrival.ts'

/** What operations work with. One launcher has one guest. */
export type Launcher = {
  readonly options: LauncherOptions
  readonly places: Places
  readonly log: Logger
  readonly libvirt: LibvirtAccess
  /** Changes of the domain keep each other out, across everything they wait for. */
  readonly changes: Lane
  /** The launcher's part of the guest's network. */
  readonly network: {
    prepare(vmi: VirtualMachineInstance): Promise<NetworkPlan>
    release(vmi: VirtualMachineInstance, card: string): void
  }
  /** The pod's sidecars that may change the guest. */
  readonly hooks: Hooks
  /** Hands the VMI's keys and passwords to the guest when it can. */
  readonly credentials: { follow(vmi: VirtualMachineInstance): void }
  /** Tells the guest of its host where the VMI asks for it. */
  readonly downwardMetrics: { follow(vmi: VirtualMachineInstance): void }
  readonly state: LauncherState
  /** Something in `state.facts` has changed: virt-handler is told. */
  readonly onFacts: () => void
}

/** What an interface of the domain gets from the links in the pod. By interface name. */
export type NetworkPlan = ReadonlyMap<string, { readonly tap: string; readonly mac?: string; readonly mtu?: number }>

/** What the launcher remembers of its guest; all else is in libvirt. */
export type LauncherState = {
  /** Set by the user's pause, so that a sync does not resume the guest. */
  pausedByUser: boolean
  facts: GuestFacts
  /** QEMU's process, once it is known. */
  qemuPid?: number
  /** What the guest's agent said and only some ask for. */
  agent: AgentFacts
  /** Thaws a guest that somebody froze and forgot. */
  thaw?: NodeJS.Timeout
  /** The guest's last move to another node. */
  migration?: MigrationMetadata
  /** Tells a move whose target is not heard any more where the guest is; there while that is not known. */
  settle?: (where: Whereabouts) => void
  /** Ends a move that has not begun to copy. */
  moveCancelled?: AbortController
  /** What libvirt told of a guest that comes here: it is expected, it has run, it has ended. */
  arrival?: Arrival
  /** There while a guest that has just arrived is left alone; how it is, is told after that. */
  firstMoments?: Promise<void>
  /** Time of the migration at which its progress was last told. */
  toldProgressMs?: number
}
