import type { ProcessIdentity } from '../host/isolation/process.ts'
import type { Guest } from './guest.ts'

/**
 * What must be known of a guest when its VMI has vanished or this process has restarted. Written before the launcher
 * is called for the first time, removed when nothing of the guest is left on the node.
 */
export interface GhostRecord extends Guest {
  readonly podUid: string
  readonly socketFile: string
  /** The launcher; the guest is over for certain when it has ended. */
  readonly launcher: ProcessIdentity
}
