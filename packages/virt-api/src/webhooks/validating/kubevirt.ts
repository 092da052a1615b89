import { kubeVirts, virtualMachineInstances } from '@kubevirt-ts/api'
import type { KubeVirt } from '@kubevirt-ts/api'
import type { Admitter } from '../admitter.ts'
import { invalid, notSupported, oneOf, when } from './cause.ts'
import { ofKind } from './of-kind.ts'
import type { KindRule } from './of-kind.ts'

type Rule = KindRule<KubeVirt>

const evictionMethods = ['LiveMigrate', 'Evict']

const workloadUpdates: Rule = ({ object: { spec } }) => {
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

/** TLS 1.3 chooses its ciphers itself. */
const tls: Rule = ({ object: { spec } }) => {
  const { ciphers = [], minTLSVersion } = spec.configuration?.tlsConfiguration ?? {}
  return when(ciphers.length > 0 && (!minTLSVersion || minTLSVersion === 'VersionTLS13'), () =>
    invalid(
      'spec.configuration.tlsConfiguration.ciphers',
      'You cannot specify ciphers when spec.configuration.tlsConfiguration.minTLSVersion is empty or VersionTLS13; set VersionTLS12, or remove the ciphers',
    ),
  )
}

const patchTypes = ['strategic', 'json', 'merge']

const customizations: Rule = ({ object: { spec } }) =>
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

const replicas: Rule = ({ object: { spec } }) => [
  ...when(spec.infra?.replicas === 0, () => invalid('spec.infra.replicas', 'infra replica count can not be 0')),
  ...when(spec.workloads?.replicas !== undefined, () =>
    invalid('spec.workloads.replicas', 'workload replicas can not be set: each node has one virt-handler'),
  ),
]

export const kubeVirtRules: readonly Rule[] = [workloadUpdates, tls, customizations, replicas]

export const updateKubeVirt = ofKind(kubeVirtRules)

/** One KubeVirt in a cluster: two would fight for the same machines. */
export const createKubeVirt: Admitter = async (request, context) => {
  const refused = await updateKubeVirt(request, context)
  if ((refused.causes ?? []).length > 0) return refused
  const { items } = await context.client.list(kubeVirts, {})
  const other = items.find(({ metadata }) => metadata.namespace !== request.namespace || metadata.name !== request.name)
  if (!other) return {}
  const { namespace, name } = other.metadata
  return { denied: { code: 400, message: `KubeVirt is already created in this cluster: ${namespace}/${name}` } }
}

/** A KubeVirt that protects its guests goes last. */
export const deleteKubeVirt: Admitter = async ({ oldObject }, { client }) => {
  const { spec } = oldObject as KubeVirt
  if (spec?.uninstallStrategy !== 'BlockUninstallIfWorkloadsExist') return {}
  const { items } = await client.list(virtualMachineInstances, { limit: 1 })
  if (items.length === 0) return {}
  const message =
    'Rejecting the uninstall request, since there are still VMIs present. Either delete all KubeVirt related workloads or change the uninstall strategy before uninstalling KubeVirt.'
  return { denied: { code: 400, message } }
}
