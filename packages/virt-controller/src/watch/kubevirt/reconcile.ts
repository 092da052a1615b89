import { kubeVirts } from '@kubevirt-ts/api'
import type { DaemonSet, Deployment, KubeVirt, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Lister } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { isOutdated } from '../outdated.ts'
import { isSameJson } from '../same.ts'
import { absentComponent, daemonSetComponent, deploymentComponent, requiredComponents } from './components.ts'
import type { Component } from './components.ts'
import { kubeVirtStatus } from './status.ts'

export interface Deps {
  readonly client: KubeClient
  readonly kubeVirts: Lister<KubeVirt>
  /** Of the install namespace. */
  readonly deployments: Lister<Deployment>
  readonly daemonSets: Lister<DaemonSet>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly launcherImage: string
  readonly architecture: string
  readonly now: () => Date
}

const label = 'kubevirt.io'

/** Keeps the status of one KubeVirt resource true. */
export async function reconcile(key: string, deps: Deps): Promise<void> {
  const kubeVirt = deps.kubeVirts.get(key)
  if (kubeVirt === undefined || kubeVirt.metadata.deletionTimestamp !== undefined) return
  const status = kubeVirtStatus({
    kubeVirt,
    components: components(deps),
    launcherImage: deps.launcherImage,
    architecture: deps.architecture,
    outdatedWorkloads: deps.vmis.list().filter((vmi) => isOutdated(vmi, deps.launcherImage)).length,
    now: deps.now(),
  })
  if (isSameJson(status, kubeVirt.status)) return
  try {
    await deps.client.update(kubeVirts, { ...kubeVirt, status }, { subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function components({ deployments, daemonSets }: Deps): Component[] {
  const labelled = <T extends { metadata: { labels?: Record<string, string> } }>(
    objects: T[],
    name: string,
  ): T | undefined => objects.find(({ metadata }) => metadata.labels?.[label] === name)
  return requiredComponents.map((name) => {
    const deployment = labelled(deployments.list(), name)
    const daemonSet = labelled(daemonSets.list(), name)
    if (deployment !== undefined) return deploymentComponent(deployment)
    return daemonSet === undefined ? absentComponent(name) : daemonSetComponent(daemonSet)
  })
}
