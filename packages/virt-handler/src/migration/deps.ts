import type { VmDeps } from '../vm/deps.ts'
import type { Encryption } from './proxy/encryption.ts'
import type { SourceProxy } from './proxy/source-proxy.ts'
import type { TargetProxy } from './proxy/target-proxy.ts'
import type { Lister } from '@kubevirt-ts/controller'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** What moving guests away from this node and to it works with. */
export interface MigrationDeps extends VmDeps {
  /** The VMIs whose guests are to come to this node. */
  readonly targets: Lister<VirtualMachineInstance>
  /** Address at which other nodes' agents reach this one. */
  readonly address: string
  readonly encryption: Encryption
  /** Open doors by the VMI's UID. */
  readonly targetProxies: Map<string, TargetProxy>
  readonly sourceProxies: Map<string, SourceProxy>
  /** UIDs of VMIs on whose way here an earlier run of this process ended, and of which that was told. */
  readonly interrupted: Set<string>
  /** By the VMI's UID the move that ended here, until the cache shows that. */
  readonly taken: Map<string, string>
  /** Moves that have begun go on; those that have not are left to the next run. */
  readonly isStopping: () => boolean
}
