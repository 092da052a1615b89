import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { homeAnnotation } from '@kubevirt-ts/scheduling'
import { conditionOf } from '../why/seen.ts'

/** What the eviction of a guest's pod leads to, before anybody asks whether there is room elsewhere. */
export type Fate =
  | { readonly kind: 'moves' | 'external'; readonly message: string }
  /** The guest is shut down; `restarts` where its VM starts it again. */
  | { readonly kind: 'ends'; readonly restarts: boolean; readonly message: string }
  | { readonly kind: 'stays'; readonly reason: string; readonly message: string; readonly remedy: string }

/** As KubeVirt's eviction webhook decides; `cluster` is the strategy of guests that name none. */
export function fateOf(vmi: VirtualMachineInstance, vm: VirtualMachine | undefined, cluster: string | undefined): Fate {
  const strategy = vmi.spec.evictionStrategy ?? cluster ?? 'None'
  const movable = conditionOf(vmi, 'LiveMigratable')
  const moves = movable?.status === 'True'
  switch (strategy) {
    case 'LiveMigrate':
      return moves ? { kind: 'moves', message: 'moves while it runs' } : mustStay(vmi, movable)
    case 'LiveMigrateIfPossible':
      return moves ? { kind: 'moves', message: 'moves while it runs' } : endOf(vmi, vm, 'it can not move')
    case 'External':
      return { kind: 'external', message: 'another program is asked to move it (eviction strategy External)' }
    default:
      return endOf(vmi, vm, 'its eviction strategy is None')
  }
}

function mustStay({ metadata, status }: VirtualMachineInstance, movable: ReturnType<typeof conditionOf>): Fate {
  const command = `virtctl -n ${metadata.namespace} stop ${metadata.name}`
  if (status?.phase !== 'Running' || movable === undefined) {
    return {
      kind: 'stays',
      reason: 'NotRunningYet',
      message: `it is ${status?.phase ?? 'new'}; only a guest that runs can move`,
      remedy: `wait until it runs, or ${command}`,
    }
  }
  return {
    kind: 'stays',
    reason: movable.reason || 'NotMigratable',
    message:
      movable.message || 'it can not move while it runs, and its eviction strategy LiveMigrate allows nothing else',
    remedy: `${command}, or give it the eviction strategy LiveMigrateIfPossible`,
  }
}

function endOf(vmi: VirtualMachineInstance, vm: VirtualMachine | undefined, why: string): Fate {
  const strategy = vm?.spec.runStrategy ?? (vm?.spec.running ? 'Always' : 'Manual')
  const restarts = vm !== undefined && strategy === 'Always'
  if (!restarts) {
    const after = vm === undefined ? 'it has no VirtualMachine' : `its run strategy is ${strategy}`
    return { kind: 'ends', restarts, message: `is shut down and stays so: ${why}, ${after}` }
  }
  const { [homeAnnotation.node]: home, [homeAnnotation.policy]: policy } = vm.metadata.annotations ?? {}
  if (policy === 'required' && home !== undefined && home === vmi.status?.nodeName) {
    return {
      kind: 'stays',
      reason: 'HomeIsHere',
      message: `it may start nowhere but at its home, this node (${why})`,
      remedy: `virtctl home evacuate ${home}, or virtctl -n ${vmi.metadata.namespace} stop ${vmi.metadata.name}`,
    }
  }
  return { kind: 'ends', restarts, message: `is shut down and started elsewhere: ${why}` }
}
