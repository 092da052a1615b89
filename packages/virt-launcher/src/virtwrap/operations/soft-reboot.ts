import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'

/** Asks the guest to reboot: through its agent where it has one, else by the ACPI power button. */
export async function softReboot(vmi: VirtualMachineInstance, { libvirt, state }: Launcher): Promise<void> {
  const byAgent = state.facts.agentConnected === true
  if (!byAgent && vmi.spec.domain.features?.acpi?.enabled === false)
    throw new VirtError('SoftRebootImpossible', 'the guest has neither a connected agent nor ACPI: use restart')
  await libvirt.change(async (domain) => {
    if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
    try {
      await domain.reboot(byAgent ? 'agent' : 'acpi')
    } catch (error) {
      // An agent that is on its way down does not answer.
      if (!isLibvirtError(error, errorCode.agentUnresponsive)) throw error
    }
  })
}
