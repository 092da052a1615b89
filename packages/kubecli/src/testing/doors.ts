import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { refusal } from './refusal.ts'

/** Kinds whose status only changes through the subresource, as on the real server. */
const kindsWithStatus = new Set([
  'DaemonSet',
  'Deployment',
  'KubeVirt',
  'Node',
  'PersistentVolumeClaim',
  'Pod',
  'VirtualMachine',
  'VirtualMachineInstanceMigration',
  'VirtualMachineInstanceReplicaSet',
  'VirtualMachinePool',
])

/** What of a new state the API server takes by the main resource, or by the subresource `status`. */
export function throughDoor(before: KubeObject, sent: KubeObject, subresource: string | undefined): KubeObject {
  const statusOf = (object: KubeObject) => (object as { status?: unknown }).status
  if (subresource === 'status') {
    // Of a pod its labels come through this door too, of a custom resource nothing but the status.
    const labels = before.kind === 'Pod' ? sent.metadata.labels : before.metadata.labels
    const metadata = { ...before.metadata, ...defined({ labels }) }
    return { ...before, metadata, ...defined({ status: statusOf(sent) }) } as KubeObject
  }
  if (!kindsWithStatus.has(before.kind ?? '')) return sent
  const { status: _, ...rest } = sent as KubeObject & { status?: unknown }
  return { ...rest, ...defined({ status: statusOf(before) }) }
}

/** A body that names a version or a UID is meant for that one alone, also where it is a patch. */
export function refuseOutdated({ plural }: ResourceType<unknown>, before: KubeObject, { metadata }: KubeObject): void {
  const { resourceVersion, uid } = metadata
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
    const text = `${plural} "${before.metadata.name}" was modified; apply the change to its newest version`
    throw refusal(409, 'Conflict', text)
  }
  if (uid !== undefined && uid !== before.metadata.uid) {
    throw refusal(409, 'Conflict', `${plural} "${before.metadata.name}" has another UID`)
  }
}

/** The members that have a value. */
export function defined<V extends object>(values: V): V {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as V
}
