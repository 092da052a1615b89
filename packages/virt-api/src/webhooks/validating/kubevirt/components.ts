import { invalid, notSupported, oneOf, when } from '../cause.ts'
import type { KubeVirtRule } from './rule.ts'

const evictionMethods = ['LiveMigrate', 'Evict']

export const workloadUpdates: KubeVirtRule = ({ object: { spec } }) => {
  const { workloadUpdateMethods = [], batchEvictionSize } = spec.workloadUpdateStrategy ?? {}
  return [
    ...workloadUpdateMethods.flatMap((method, index) =>
      when(!evictionMethods.includes(method), () =>
        notSupported(
          `spec.workloadUpdateStrategy.workloadUpdateMethods[${index}]`,
          `unknown workload update method ${method}; ${oneOf(evictionMethods)}`,
        ),
      ),
    ),
    ...when((batchEvictionSize ?? 1) < 0, () =>
      invalid('spec.workloadUpdateStrategy.batchEvictionSize', 'must not be negative'),
    ),
  ]
}

const patchTypes = ['strategic', 'json', 'merge']

export const customizations: KubeVirtRule = ({ object: { spec } }) =>
  (spec.customizeComponents?.patches ?? []).flatMap(({ patch, type }, index) => {
    const field = `spec.customizeComponents.patches[${index}]`
    return [
      ...when(!isJson(patch), () => invalid(`${field}.patch`, 'the patch is not JSON')),
      ...when(!patchTypes.includes(type ?? ''), () =>
        notSupported(`${field}.type`, `unknown patch type ${type}; ${oneOf(patchTypes)}`),
      ),
    ]
  })

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? '')
    return true
  } catch {
    return false
  }
}

export const replicas: KubeVirtRule = ({ object: { spec } }) => [
  ...when(spec.infra?.replicas === 0, () => invalid('spec.infra.replicas', 'infra replica count can not be 0')),
  ...when(spec.workloads?.replicas !== undefined, () =>
    invalid('spec.workloads.replicas', 'workload replicas can not be set: each node has one virt-handler'),
  ),
]
