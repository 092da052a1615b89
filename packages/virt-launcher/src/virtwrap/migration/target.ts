import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import type { Launcher } from '../launcher.ts'
import { prepareGuest } from '../operations/sync.ts'

/** Makes ready for a guest that comes from another node: the files it finds, its network. libvirt defines it. */
export async function prepareTarget(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  launcher: Launcher,
): Promise<void> {
  launcher.state.pausedByUser = isPausedByUser(vmi)
  await prepareGuest(vmi, told, launcher)
  launcher.log.info('ready for the guest')
}

/** The guest has arrived: its clock stood still for a moment, which only its agent can put right. */
export async function finalizeMigration({ libvirt, log }: Launcher): Promise<void> {
  void libvirt
    .askAgent(async (domain) => domain?.setTime(new Date()))
    .catch((error: unknown) => log.info({ error }, "the guest's clock was not set"))
}

function isPausedByUser({ status }: VirtualMachineInstance): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value, reason }) => type === 'Paused' && value === 'True' && reason === 'PausedByUser',
  )
}
