import { domainName } from '@kubevirt-ts/vmispec'
import { metadataNamespace } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service/error'
import type { Configurator } from '../configurator.ts'

/** The domain's name, its virtualisation type and what KubeVirt remembers in it. */
export const identity: Configurator = (domain, { vmi, context }) => {
  domain.$type = virtualisationType(context.kvmAvailable, context.allowEmulation)
  domain['$xmlns:qemu'] = 'http://libvirt.org/schemas/domain/qemu/1.0'
  domain.name = domainName(vmi)
  domain.metadata = { kubevirt: { $xmlns: metadataNamespace, uid: vmi.metadata.uid ?? '' } }
}

function virtualisationType(kvmAvailable: boolean, allowEmulation: boolean): string {
  if (kvmAvailable) return 'kvm'
  if (allowEmulation) return 'qemu'
  throw new VirtError(
    'KvmNotPresent',
    'kvm not present and emulation is not allowed: use a node with /dev/kvm or set useEmulation',
  )
}
