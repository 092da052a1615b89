import { setTimeout as sleep } from 'node:timers/promises'
import { type VirtualMachineInstance, vmiCondition } from '@kubevirt-ts/api'
import type { VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import type { CompletedJob } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'
import { syncGuestTime } from '../operations/guest-time.ts'
import { prepareGuest } from '../operations/sync.ts'

/** Makes ready for a guest that comes from another node: the files it finds, its network. libvirt defines it. */
export async function prepareTarget(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  launcher: Launcher,
): Promise<void> {
  launcher.state.pausedByUser = isPausedByUser(vmi)
  launcher.state.arrival ??= 'expected'
  await prepareGuest(vmi, told, launcher)
  launcher.log.info('ready for the guest')
}

/**
 * The guest has arrived: its clock stood still for a moment, which only its agent can put right, and how long that was
 * is told from now on.
 */
export async function finalizeMigration(vmi: VirtualMachineInstance, launcher: Launcher): Promise<void> {
  syncGuestTime(launcher, { agentExpected: hadAgent(vmi) })
  const job = await arrival(launcher)
  if (job === undefined) return
  const { elapsedMs, dataTotal, dataProcessed, downtimeMs } = job
  const bytesPerSecond = elapsedMs > 0 ? Math.round((dataProcessed * 1_000) / elapsedMs) : 0
  const progress = {
    totalBytes: dataTotal,
    remainingBytes: 0,
    bytesPerSecond,
    ...(downtimeMs !== undefined && { downtimeMs }),
  }
  const uid = vmi.status?.migrationState?.migrationUid ?? ''
  launcher.state.migration = { uid, endTimestamp: `${new Date().toISOString().slice(0, 19)}Z`, progress }
  launcher.onFacts()
}

const lookMs = 20
const looks = 100

/** libvirt has its figures of the move a moment after the guest runs, on a busy node a second; nobody waits for ever. */
async function arrival({ libvirt, log }: Launcher): Promise<CompletedJob | undefined> {
  for (let look = 0; look < looks; look++) {
    try {
      const job = await libvirt.ask(async (domain) => domain?.completedJob())
      if (job !== undefined) return job
    } catch (error) {
      log.info({ error }, 'libvirt does not tell how the guest came here')
    }
    await sleep(lookMs)
  }
  return undefined
}

const hadAgent = ({ status }: VirtualMachineInstance): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === vmiCondition.agentConnected && value === 'True')

function isPausedByUser({ status }: VirtualMachineInstance): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value, reason }) => type === 'Paused' && value === 'True' && reason === 'PausedByUser',
  )
}
