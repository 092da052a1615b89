import { virtualMachineInstances, type Node, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { findCondition, isConditionTrue, removeCondition, setCondition } from '@kubevirt-ts/controller'
import { isConflict, isNotFound } from '@kubevirt-ts/kubecli'
import type { HomePolicy } from '@kubevirt-ts/scheduling'
import type { PluginServices } from '../../framework/registry.ts'
import type { Owner } from './owner.ts'

export const homeCondition = 'HomeAvailable'

export interface Trouble {
  readonly reason: 'HomeNodeMissing' | 'HomeNodeCordoned' | 'HomeNodeNotReady'
  readonly message: string
}

/** What keeps a VM from its home, and what to do; undefined when nothing that the node itself shows does. */
export function troubleOf(home: string, node: Node | undefined, policy: HomePolicy): Trouble | undefined {
  const next = policy === 'required' ? 'the VM waits' : 'the VM may start elsewhere'
  if (node === undefined) {
    return {
      reason: 'HomeNodeMissing',
      message: `home node ${home} does not exist, ${next}: bring the node back, or use "virtctl home move" or "virtctl home forget"`,
    }
  }
  if (node.spec?.unschedulable === true) {
    return {
      reason: 'HomeNodeCordoned',
      message: `home node ${home} is cordoned, ${next}: uncordon it, or use "virtctl home evacuate ${home}"`,
    }
  }
  if (isConditionTrue(node.status?.conditions, 'Ready')) return undefined
  return {
    reason: 'HomeNodeNotReady',
    message: `home node ${home} is not ready, ${next}: repair it, or use "virtctl home evacuate ${home}"`,
  }
}

/**
 * Tells it on the VM: an event, and the condition HomeAvailable. The condition is written to the instance, from where
 * virt-controller shows it on the VM; written to the VM it would be taken for an old one of the instance. Nothing is said twice.
 */
export async function tellTrouble({ vm, instance }: Owner, trouble: Trouble, services: PluginServices): Promise<void> {
  const { reason, message } = trouble
  const before = findCondition(instance.status?.conditions, homeCondition)
  if (before?.status === 'False' && before.reason === reason) return
  services.events.event(vm, 'Warning', reason, message)
  await writeConditions(instance, services, (conditions) =>
    setCondition(conditions, { type: homeCondition, status: 'False', reason, message }, new Date()),
  )
}

/** Takes the condition away again. */
export async function tellRecovery({ instance }: Owner, services: PluginServices): Promise<void> {
  if (findCondition(instance.status?.conditions, homeCondition) === undefined) return
  await writeConditions(instance, services, (conditions) => removeCondition(conditions, homeCondition))
}

type Conditions = NonNullable<NonNullable<VirtualMachineInstance['status']>['conditions']>

const maxAttempts = 5

/** The version keeps what others wrote meanwhile. Never rejects. */
async function writeConditions(
  instance: VirtualMachineInstance,
  { client, log }: PluginServices,
  change: (conditions: Conditions | undefined) => readonly Conditions[number][],
): Promise<void> {
  const { name, namespace = '', uid } = instance.metadata
  try {
    let current = instance
    for (let attempt = 1; current.metadata.uid === uid; attempt++) {
      const { resourceVersion } = current.metadata
      const body = { metadata: { resourceVersion }, status: { conditions: change(current.status?.conditions) } }
      try {
        await client.patch(virtualMachineInstances, { name, namespace }, body, { type: 'merge' })
        return
      } catch (error) {
        if (!isConflict(error) || attempt >= maxAttempts) throw error
      }
      current = await client.get(virtualMachineInstances, { name, namespace })
    }
  } catch (error) {
    if (isNotFound(error)) return
    log.warn({ error, vmi: `${namespace}/${name}` }, 'the condition on the home node could not be written')
  }
}
