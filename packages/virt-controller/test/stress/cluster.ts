import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { Lister } from '@kubevirt-ts/controller'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { KubeClient } from '@kubevirt-ts/kubecli'

/** Names the guest on its launcher pod. */
export const guestLabel = 'vmi.kubevirt.io/id'

/** What histories ask and look at, past every fault. */
export interface Cluster {
  readonly client: KubeClient
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byGuest`. */
  readonly launchers: Lister<Pod>
}

/** Follows the cluster until the signal is aborted. */
export async function watchCluster(client: KubeClient, signal: AbortSignal): Promise<Cluster> {
  const log = silentLog()
  const vms = new Informer({ client, resource: virtualMachines, log })
  const vmis = new Informer({ client, resource: virtualMachineInstances, log })
  const byGuest = ({ metadata }: Pod): string[] => [metadata.labels?.[guestLabel] ?? '']
  const launchers = new Informer({ client, resource: pods, labelSelector: guestLabel, indexers: { byGuest }, log })
  for (const informer of [vms, vmis, launchers]) informer.start(signal)
  await Promise.all([vms.synced, vmis.synced, launchers.synced])
  return { client, vms, vmis, launchers }
}
