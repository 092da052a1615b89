import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { StatusError } from '../status-error.ts'
import { decodeOptions } from './body.ts'
import { applyChanges, requestChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { changeGracePeriod } from './stop.ts'
import { conflict, fetchWithGuest, vmKind } from './subjects.ts'
import { hasCondition, runStrategyOf } from './vm-state.ts'

/** Stops a VM's guest and starts another. A forced one loses its grace period, and gets it back when that fails. */
export async function restart({ client }: RestParts, target: Target, body: object): Promise<void> {
  const { gracePeriodSeconds } = decodeOptions('RestartOptions', body)
  checkGracePeriod(gracePeriodSeconds)
  const { vm, vmi } = await fetchWithGuest(client, target)
  const change = restartChange(vm, vmi)
  const old = vmi?.spec.terminationGracePeriodSeconds
  if (gracePeriodSeconds !== 0 || !vmi) return applyChanges(client, target, [change])
  await applyChanges(client, target, [changeGracePeriod(vmi, forcedSeconds)])
  try {
    await applyChanges(client, target, [change])
  } catch (error) {
    const shortened = { ...vmi, spec: { ...vmi.spec, terminationGracePeriodSeconds: forcedSeconds } }
    if (old !== undefined) await applyChanges(client, target, [changeGracePeriod(shortened, old)])
    throw error
  }
}

/** The grace period of a guest whose restart is forced. */
const forcedSeconds = 1

function checkGracePeriod(seconds: number | undefined): void {
  if (seconds === undefined || seconds === 0) return
  throw new StatusError(
    400,
    seconds > 0
      ? 'For force restart, only gracePeriod=0 is supported for now'
      : 'gracePeriod has to be greater or equal to 0',
  )
}

/** What restarts the VM. Throws a 409 when there is nothing to restart, or the strategy forbids it. */
export function restartChange(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): Change {
  const refuse = (message: string) => conflict(vmKind, vm.metadata.name, message)
  if (hasCondition(vm, 'VolumesChange')) {
    throw refuse('VM recovery required: Volume migration is under way, wait for it or cancel it before a restart')
  }
  const strategy = runStrategyOf(vm)
  if (strategy === 'Halted' || strategy === 'Once') {
    throw refuse(`RunStategy ${strategy} does not support manual restart requests`)
  }
  if (!vmi) throw refuse('VM is not running: Halted')
  return requestChanges(vm, [
    { action: 'Stop', ...(vmi.metadata.uid && { uid: vmi.metadata.uid }) },
    { action: 'Start' },
  ])
}
