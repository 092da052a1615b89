import type { KubeVirt, KubeVirtStatus } from '@kubevirt-ts/api'
import { setCondition } from '@kubevirt-ts/controller'
import type { Component } from './components.ts'

export interface StatusInput {
  readonly kubeVirt: KubeVirt
  readonly components: readonly Component[]
  /** Of the running product: the launcher image tells registry and version. */
  readonly launcherImage: string
  readonly architecture: string
  readonly outdatedWorkloads: number
  readonly now: Date
}

/** The KubeVirt resource's status: what runs, and whether all of it does. */
export function kubeVirtStatus(input: StatusInput): KubeVirtStatus {
  const { kubeVirt, components, now } = input
  const { registry, version } = splitImage(input.launcherImage)
  const ready = components.every(({ available, updated }) => available && updated)
  let conditions = kubeVirt.status?.conditions
  for (const condition of verdicts(components)) conditions = [...setCondition(conditions, condition, now)]
  return {
    ...kubeVirt.status,
    // Deployed once stays deployed: a part that is down later shows in the conditions.
    phase: ready || kubeVirt.status?.phase === 'Deployed' ? 'Deployed' : 'Deploying',
    ...(conditions === undefined ? {} : { conditions }),
    observedGeneration: kubeVirt.metadata.generation ?? 0,
    defaultArchitecture: input.architecture,
    operatorVersion: version,
    observedKubeVirtVersion: version,
    targetKubeVirtVersion: version,
    observedKubeVirtRegistry: registry,
    targetKubeVirtRegistry: registry,
    outdatedVirtualMachineInstanceWorkloads: input.outdatedWorkloads,
  }
}

type Verdict = Parameters<typeof setCondition>[1]

function verdicts(components: readonly Component[]): readonly Verdict[] {
  const missing = components.filter(({ available }) => !available)
  const rolling = components.filter(({ updated }) => !updated)
  const created: Verdict = {
    type: 'Created',
    status: 'True',
    reason: 'AllResourcesCreated',
    message: 'All resources were created.',
  }
  const ready = { reason: 'AllComponentsReady', message: 'All components are ready.' }
  const notReady = { reason: 'ComponentsNotReady', message: missing.map(({ detail }) => detail).join('; ') }
  const progress = { reason: 'UpdateInProgress', message: `Rolling out ${rolling.map(({ name }) => name).join(', ')}.` }
  const down = missing.length > 0
  const isRolling = rolling.length > 0
  return [
    created,
    { type: 'Available', status: down ? 'False' : 'True', ...(down ? notReady : ready) },
    { type: 'Progressing', status: isRolling ? 'True' : 'False', ...(isRolling ? progress : ready) },
    // While a new version comes up nothing is broken yet.
    isRolling
      ? { type: 'Degraded', status: 'False', ...progress }
      : { type: 'Degraded', status: down ? 'True' : 'False', ...(down ? notReady : ready) },
  ]
}

/** `registry/virt-launcher:tag` in its parts; a digest counts as version. */
export function splitImage(image: string): { registry: string; version: string } {
  const name = image.lastIndexOf('/')
  const registry = name < 0 ? '' : image.slice(0, name)
  const [, version = ''] = /[:@](.+)$/.exec(image.slice(name + 1)) ?? []
  return { registry, version }
}
