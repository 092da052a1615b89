import type { Node, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { controllerOf, findCondition, keyFor, keyOf } from '@kubevirt-ts/controller'
import { homeAnnotation } from '@kubevirt-ts/scheduling'
import type { FollowOptions } from './follow-migrations.ts'
import { homeCondition, tellRecovery, tellTrouble, troubleOf } from './home-trouble.ts'
import { policyOf } from './settings.ts'

/**
 * Keeps what is told of homes true when a home's node comes, goes or changes, or when a VM gets another home: for VMs
 * that wait for a node, and for those that were told of something before.
 */
export function followHomes(options: FollowOptions, signal: AbortSignal): void {
  const { services } = options
  const { instances, nodes, virtualMachines } = services
  // What happened while nobody looked.
  for (const instance of instances.list()) if (wasTold(instance)) look(instance, options)
  let isFollowing = false
  const nodeChanged = ({ metadata: { name } }: Node) => {
    if (!isFollowing) return
    for (const instance of instances.list()) if (homeOf(instance, options) === name) look(instance, options)
  }
  const ends = [
    nodes.on?.({
      added: nodeChanged,
      updated: (before, after) => {
        if (problemOf(before) !== problemOf(after)) nodeChanged(after)
      },
      deleted: nodeChanged,
    }),
    virtualMachines.on?.({
      updated: (before, after) => {
        const instance = instances.get(keyOf(after))
        if (instance !== undefined && !isSameWish(before, after, options)) look(instance, options)
      },
    }),
  ]
  isFollowing = true
  signal.addEventListener('abort', () => ends.forEach((end) => end?.()), { once: true })
}

function look(instance: VirtualMachineInstance, options: FollowOptions): void {
  const { services, settings } = options
  const vm = vmOf(instance, options)
  if (vm === undefined) return
  const { policy } = policyOf(vm, settings)
  const home = policy === 'off' ? undefined : options.homes.of(vm)
  const trouble = home === undefined ? undefined : troubleOf(home, services.nodes.get(home), policy)
  if (trouble === undefined) void tellRecovery({ vm, instance }, services)
  else if (wasTold(instance) || isWaiting(instance)) void tellTrouble({ vm, instance }, trouble, services)
}

function vmOf(instance: VirtualMachineInstance, { services }: FollowOptions): VirtualMachine | undefined {
  const owner = controllerOf(instance)
  if (owner?.kind !== 'VirtualMachine') return undefined
  const vm = services.virtualMachines.get(keyFor(instance.metadata.namespace, owner.name))
  return vm?.metadata.uid === owner.uid ? vm : undefined
}

function homeOf(instance: VirtualMachineInstance, options: FollowOptions): string | undefined {
  const vm = vmOf(instance, options)
  return vm === undefined ? undefined : options.homes.of(vm)
}

function problemOf(node: Node): string | undefined {
  return troubleOf(node.metadata.name, node, 'required')?.reason
}

function wasTold({ status }: VirtualMachineInstance): boolean {
  return findCondition(status?.conditions, homeCondition) !== undefined
}

function isWaiting({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Scheduling' && !status.nodeName
}

function isSameWish(a: VirtualMachine, b: VirtualMachine, { settings }: FollowOptions): boolean {
  return [settings.nodeAnnotation, homeAnnotation.policy].every(
    (key) => a.metadata.annotations?.[key] === b.metadata.annotations?.[key],
  )
}
