import type {
  KubeVirtConfiguration,
  Node,
  Pod,
  PodDisruptionBudget,
  ResourceQuota,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import type { SnapshotObjects } from '@kubevirt-ts/scheduling'

/** All that a plan is made from. */
export interface Seen {
  /** The node to be emptied. */
  readonly node: Node
  /** The cluster as a scheduler sees it. */
  readonly cluster: SnapshotObjects & { readonly pods: readonly Pod[] }
  /** Guests on the node that are not over. */
  readonly vmis: readonly VirtualMachineInstance[]
  /** By `namespace/name`. */
  readonly vms: ReadonlyMap<string, VirtualMachine>
  /** Those that are not done, of the whole cluster. */
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  readonly quotas: readonly ResourceQuota[]
  readonly budgets: readonly PodDisruptionBudget[]
  readonly configuration: KubeVirtConfiguration
  /** What the user may not see, in words. */
  readonly hidden: readonly string[]
}

/** What becomes of a guest: `stop` is an end that nobody follows by a start, `external` is left to another program. */
export type Action = 'migrate' | 'restart' | 'stop' | 'external' | 'blocked'

/** What the plan says of one guest. */
export interface Step {
  readonly namespace: string
  readonly name: string
  readonly action: Action
  /** A stable word. */
  readonly reason: string
  /** For people. */
  readonly message: string
  /** A command or a change that lets it go; there when it is blocked. */
  readonly remedy?: string
  /** The launcher pod that is evicted. */
  readonly pod?: string
  /** Nodes that it fits on, the roomiest first. */
  readonly nodes?: readonly string[]
  /** Why the others refuse it, by node. */
  readonly refusals?: Readonly<Record<string, readonly string[]>>
}

export interface Plan {
  readonly node: string
  readonly cordoned: boolean
  /** How many migrations run at once, and do so already. */
  readonly limits: { readonly perNode: number; readonly perCluster: number; readonly underWay: number }
  readonly virtualMachines: readonly Step[]
  readonly blocked: number
  readonly notKnown: readonly string[]
}

/** A guest, or a migration, that has ended one way or the other. */
export const isOver = ({ status }: { readonly status?: { readonly phase?: string } }): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed'

export const keyOf = ({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name: string } }) =>
  `${metadata.namespace}/${metadata.name}`
