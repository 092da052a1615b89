import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'
import type { Guest } from '../launcher-clients/guest.ts'
import type { LauncherState } from '../launcher-clients/launcher-clients.ts'

/** All that a decision about a guest may look at. */
export interface Seen {
  readonly guest: Guest
  /** The guest's VMI, if it still exists and this node owns it. */
  readonly vmi?: VirtualMachineInstance | undefined
  /** The guest lives on another node now, or never came here: what is left of it on this one is to go. */
  readonly moved?: boolean
  readonly domain?: Domain | undefined
  /** Whether a missing domain means that there is none. */
  readonly domainKnown: boolean
  readonly launcher: LauncherState
  /** Of the guest's launcher on this node, where it is known. */
  readonly podUid?: string | undefined
  /** Whether anything of the guest is held on this node. */
  readonly known: boolean
  /** The VMI is not handed over yet, but its guest may be made here already. */
  readonly early?: boolean
}
