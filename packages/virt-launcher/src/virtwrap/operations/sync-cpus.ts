import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service'
import { vcpus } from '@kubevirt-ts/vmispec'
import type { Launcher } from '../launcher.ts'

/** Plugs virtual CPUs in, up to the number of the VMI's sockets. The domain was started with room for them. */
export async function syncCpus(vmi: VirtualMachineInstance, { libvirt, log }: Launcher): Promise<void> {
  const wanted = vcpus(vmi.spec)
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    await domain.setVcpus(wanted, { live: true, config: true })
    log.info({ vcpus: wanted }, 'virtual CPUs set')
  })
}
