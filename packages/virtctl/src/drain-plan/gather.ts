import {
  defaultConfiguration,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  resourceQuotas,
  storageClasses,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { ResourceType } from '@kubevirt-ts/api'
import { isForbidden, isNotFound } from '@kubevirt-ts/kubecli'
import { csiNodes, volumeAttachments } from '@kubevirt-ts/scheduling'
import type { SchedulingStorageClass, SchedulingVolumeObject } from '@kubevirt-ts/scheduling'
import { fetchKubeVirt } from '../client/kubevirt.ts'
import { CommandError } from '../command.ts'
import type { Cluster } from '../command.ts'
import { isOver, keyOf } from './seen.ts'
import type { Seen } from './seen.ts'

/** Reads the cluster once. Throws when the node is not there, or what no plan can do without may not be read. */
export async function gather(cluster: Cluster, name: string): Promise<Seen> {
  const { client } = cluster
  const hidden: string[] = []
  const all = async <T>(what: string, resource: ResourceType<T>): Promise<T[]> => {
    try {
      return (await client.list(resource, {})).items
    } catch (error) {
      if (isForbidden(error)) hidden.push(what)
      else if (!isNotFound(error)) throw error
      return []
    }
  }
  const [kubeVirt, allNodes, allPods, vmis, vms, migrations] = await Promise.all([
    fetchKubeVirt(cluster),
    client.list(nodes, {}),
    client.list(pods, {}),
    client.list(virtualMachineInstances, {}),
    client.list(virtualMachines, {}),
    client.list(virtualMachineInstanceMigrations, {}),
  ])
  const node = allNodes.items.find(({ metadata }) => metadata.name === name)
  if (!node) throw new CommandError(`there is no node ${name}; kubectl get nodes shows those that are`)
  const [spaces, claims, volumes, classes, drivers, attachments, quotas, budgets] = await Promise.all([
    all('namespaces', namespaces),
    all('claims', persistentVolumeClaims),
    all('volumes', persistentVolumes as ResourceType<SchedulingVolumeObject>),
    all('storage classes', storageClasses as ResourceType<SchedulingStorageClass>),
    all('CSI nodes', csiNodes),
    all('volume attachments', volumeAttachments),
    all('quotas', resourceQuotas),
    all('disruption budgets', podDisruptionBudgets),
  ])
  const configured = kubeVirt.spec?.configuration
  return {
    node,
    cluster: {
      nodes: allNodes.items,
      pods: allPods.items,
      namespaces: Object.fromEntries(spaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
      claims,
      volumes,
      storageClasses: classes,
      csiNodes: drivers,
      attachments,
    },
    vmis: vmis.items.filter((vmi) => vmi.status?.nodeName === name && !isOver(vmi)),
    vms: new Map(vms.items.map((vm) => [keyOf(vm), vm])),
    migrations: migrations.items.filter((each) => !isOver(each)),
    quotas,
    budgets,
    configuration: { ...configured, migrations: { ...defaultConfiguration.migrations, ...configured?.migrations } },
    hidden,
  }
}
