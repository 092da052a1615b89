import type { KubeObject, PersistentVolumeClaim, Pod, ResourceQuota, VirtualMachineInstance } from '@kubevirt-ts/api'
import { renderLaunchPod, stateClaimOf } from '@kubevirt-ts/virt-controller/render'
import type { World } from './world.ts'

/** The launcher pod of a VMI. Throws with words for the user where the VMI cannot be rendered. */
export function podOf(vmi: VirtualMachineInstance, { configuration, objects, context }: World): Pod {
  const namespace = vmi.metadata.namespace ?? context.namespace
  const find = <T extends KubeObject>(kind: string, name: string, inNamespace?: string): T | undefined =>
    objects.find({ kind, name, ...(inNamespace && { namespace: inNamespace }) }) as T | undefined
  return renderLaunchPod(vmi, {
    ...context.launcher,
    configuration,
    clusterArchitecture: context.clusterArchitecture,
    qemuTimeoutSeconds: context.qemuTimeoutSeconds,
    claim: (name) => find<PersistentVolumeClaim>('PersistentVolumeClaim', name, namespace),
    stateClaim: (name) =>
      stateClaimOf(name, objects.inNamespace('PersistentVolumeClaim', namespace) as PersistentVolumeClaim[]),
    namespaceLabels: find('Namespace', namespace)?.metadata.labels ?? {},
    resourceQuotas: objects.inNamespace('ResourceQuota', namespace) as readonly ResourceQuota[],
    networkAnnotations: (where, name) => find('NetworkAttachmentDefinition', name, where)?.metadata.annotations,
  })
}
