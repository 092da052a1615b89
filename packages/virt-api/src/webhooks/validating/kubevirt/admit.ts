import { kubeVirts, virtualMachineInstances } from '@kubevirt-ts/api'
import type { KubeVirt } from '@kubevirt-ts/api'
import type { Admitter } from '../../admitter.ts'
import { ofKind } from '../of-kind.ts'
import { certificates } from './certificates.ts'
import { customizations, replicas, workloadUpdates } from './components.ts'
import { memoryOverhead } from './memory-overhead.ts'
import type { KubeVirtRule } from './rule.ts'
import { seccomp } from './seccomp.ts'
import { tls } from './tls.ts'
import { kubeVirtWarnings } from './warnings.ts'

const rules: readonly KubeVirtRule[] = [
  workloadUpdates,
  customizations,
  certificates,
  memoryOverhead,
  tls,
  seccomp,
  replicas,
]

const asRules = ofKind(rules)

export const updateKubeVirt: Admitter = async (request, context) => {
  const verdict = await asRules(request, context)
  const { object, oldObject } = request
  return { ...verdict, warnings: kubeVirtWarnings(object as KubeVirt, (oldObject as KubeVirt | null) ?? undefined) }
}

/** One KubeVirt in a cluster: two would fight for the same machines. */
export const createKubeVirt: Admitter = async (request, context) => {
  const verdict = await updateKubeVirt(request, context)
  if ((verdict.causes ?? []).length > 0) return verdict
  const { items } = await context.client.list(kubeVirts, {})
  const other = items.find(({ metadata }) => metadata.namespace !== request.namespace || metadata.name !== request.name)
  if (!other) return verdict
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
