import { nodes } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { StatusError } from '../status-error.ts'
import { decodeOptions } from './body.ts'
import { applyChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { fetchVm, fetchVmi } from './subjects.ts'

/** Takes back that a VM's guest is to leave its node. */
export async function cancelVmEvacuation(parts: RestParts, target: Target, body: object): Promise<void> {
  await fetchVm(parts.client, target)
  await cancelEvacuation(parts, target, body)
}

/** Takes back that a guest is to leave its node; nothing happens to one that may stay. */
export async function cancelEvacuation({ client, settings }: RestParts, target: Target, body: object): Promise<void> {
  const { evacuationNodeName } = decodeOptions('EvacuateCancelOptions', body)
  const vmi = await fetchVmi(client, target)
  const node = evacuationNodeName ?? vmi.status?.evacuationNodeName
  if (node) await refuseDraining(client, node, settings.configuration.migrations?.nodeDrainTaintKey)
  const change = cancelChange(vmi, node)
  if (change) await applyChanges(client, target, [change])
}

/** What clears the mark, unless it names another node by then; undefined when there is none. */
export function cancelChange({ status }: VirtualMachineInstance, node: string | undefined): Change | undefined {
  if (!status?.evacuationNodeName) return undefined
  const path = '/status/evacuationNodeName'
  return {
    on: 'vmi',
    patch: [
      { op: 'test', path, value: node },
      { op: 'remove', path },
    ],
  }
}

/** From a node that is being drained guests are moved anyway: a cancelled evacuation would only begin anew. */
async function refuseDraining(client: KubeClient, name: string, taint: string | undefined): Promise<void> {
  const node = await client.get(nodes, { name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (!taint || !node?.spec?.taints?.some(({ key }) => key === taint)) return
  throw new StatusError(400, `Node ${JSON.stringify(name)} has NodeDrainTaintKey ${JSON.stringify(taint)}`)
}
