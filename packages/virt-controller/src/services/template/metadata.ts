import { annotation } from '@kubevirt-ts/api'
import { hostname, vmiLabelId } from '@kubevirt-ts/vmispec'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Annotations of the VMI that are about its object, not about its guest. */
const notCarried = [
  'kubectl.kubernetes.io',
  'kubevirt.io/storage-observed-api-version',
  'kubevirt.io/latest-observed-api-version',
]

/** Labels and annotations by which others find the pod, and those that users gave the VMI for it. */
export function metadata({ labels, annotations }: Draft, { vmi }: Launch): void {
  const { name, uid } = vmi.metadata
  const carried = Object.entries(vmi.metadata.annotations ?? {}).filter(
    ([key]) => !notCarried.some((prefix) => key.startsWith(prefix)),
  )
  Object.assign(labels, vmi.metadata.labels, {
    'kubevirt.io': 'virt-launcher',
    'kubevirt.io/created-by': uid ?? '',
    'vm.kubevirt.io/name': hostname(vmi),
    'vmi.kubevirt.io/id': vmiLabelId(name),
  })
  const isBackedUpAsIs = vmi.metadata.annotations?.[annotation.skipBackupHooks] === 'true'
  // Whoever gives hooks of their own is not given ours.
  const hooks = isBackedUpAsIs ? {} : freezeHooks(vmi.metadata.namespace ?? 'default', name)
  Object.assign(annotations, hooks, Object.fromEntries(carried), {
    // The VMI's own may not stand here, as it would in the original: evictions find the guest by it.
    'kubevirt.io/domain': name,
    'kubectl.kubernetes.io/default-container': 'compute',
    'kubevirt.io/migrationTransportUnix': 'true',
    'descheduler.alpha.kubernetes.io/request-evict-only': '',
  })
  const istio = vmi.metadata.annotations?.['sidecar.istio.io/inject']
  if (istio !== undefined) labels['sidecar.istio.io/inject'] = istio
}

/** Commands by which Velero gets a consistent backup of the guest's file systems. */
function freezeHooks(namespace: string, name: string): Record<string, string> {
  // Written as Python prints a list, since the annotation is compared as text.
  const command = (verb: string): string =>
    `["/usr/bin/virt-freezer", "--${verb}", "--name", "${name}", "--namespace", "${namespace}"]`
  return {
    'pre.hook.backup.velero.io/container': 'compute',
    'pre.hook.backup.velero.io/command': command('freeze'),
    'pre.hook.backup.velero.io/timeout': '60s',
    'post.hook.backup.velero.io/container': 'compute',
    'post.hook.backup.velero.io/command': command('unfreeze'),
  }
}
