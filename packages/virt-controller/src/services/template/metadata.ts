import { hostname, vmiLabelId } from '@kubevirt-ts/vmispec'
import { backupHooks } from './backup-hooks.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Annotations of the VMI that are about its object, not about its guest. */
const notCarried = [
  'kubectl.kubernetes.io',
  'kubevirt.io/storage-observed-api-version',
  'kubevirt.io/latest-observed-api-version',
]

/** Labels and annotations by which others find the pod, and those that users gave the VMI for it. */
export function metadata({ labels, annotations }: Draft, { vmi, context }: Launch): void {
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
  Object.assign(annotations, backupHooks(vmi, context.skipBackupHooks), Object.fromEntries(carried), {
    // The VMI's own may not stand here, as it would in the original: evictions find the guest by it.
    'kubevirt.io/domain': name,
    'kubectl.kubernetes.io/default-container': 'compute',
    'kubevirt.io/migrationTransportUnix': 'true',
    'descheduler.alpha.kubernetes.io/request-evict-only': '',
  })
  const istio = vmi.metadata.annotations?.['sidecar.istio.io/inject']
  if (istio !== undefined) labels['sidecar.istio.io/inject'] = istio
}
