import type { Node, VirtualMachineInstance } from '@kubevirt-ts/api'

/** What is known of a node whose guests may have to leave. */
export interface NodeView {
  readonly name: string
  readonly node: Node | undefined
  /** Guests on the node. */
  readonly vmis: readonly VirtualMachineInstance[]
  /** Key of the taint that drains a node of its guests. */
  readonly drainTaint: string | undefined
  /** Strategy of guests that name none. */
  readonly evictionStrategy: string | undefined
  /** A migration of the guest is not finished. */
  readonly isMigrating: (vmi: VirtualMachineInstance) => boolean
  /** Launcher pods of the guest that are not over. */
  readonly activePods: (vmi: VirtualMachineInstance) => number
}

/**
 * Guests to move away: all of a node that is drained by its taint, else those whose eviction was asked for. Only those
 * that may move, are not moving yet, and live in one pod alone.
 */
export function candidates(view: NodeView): readonly VirtualMachineInstance[] {
  const drained = isDrained(view)
  return view.vmis.filter((vmi) => {
    const { metadata, status } = vmi
    if (status?.phase !== 'Running' || metadata.deletionTimestamp !== undefined) return false
    if (!drained && status.evacuationNodeName !== view.name) return false
    return shouldMigrate(vmi, view.evictionStrategy) && !view.isMigrating(vmi) && view.activePods(vmi) <= 1
  })
}

function isDrained({ node, drainTaint }: NodeView): boolean {
  return node?.spec?.taints?.some(({ key, effect }) => key === drainTaint && effect === 'NoSchedule') ?? false
}

/** The guest's strategy, else the cluster's; a guest that cannot move is never tried. */
function shouldMigrate({ spec, status }: VirtualMachineInstance, cluster: string | undefined): boolean {
  const strategy = spec.evictionStrategy ?? cluster
  if (strategy !== 'LiveMigrate' && strategy !== 'LiveMigrateIfPossible') return false
  return status?.conditions?.some((each) => each.type === 'LiveMigratable' && each.status === 'True') ?? false
}
