import type { VirtualMachine, VirtualMachineInstance, VirtualMachineStateChangeRequest } from '@kubevirt-ts/api'
import { decodeOptions } from './body.ts'
import { applyChanges, changeRunStrategy, requestChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchWithGuest, vmKind } from './subjects.ts'
import { hasCondition, isFinal, runStrategyOf } from './vm-state.ts'

/** Starts a VM. */
export async function start({ client }: RestParts, target: Target, body: object): Promise<void> {
  const { paused } = decodeOptions('StartOptions', body)
  const { vm, vmi } = await fetchWithGuest(client, target)
  await applyChanges(client, target, [startChange(vm, vmi, paused ?? false)])
}

/** What starts the VM. Throws a 409 when it can not be started now. */
export function startChange(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined, paused: boolean): Change {
  const refuse = (message: string) => conflict(vmKind, vm.metadata.name, message)
  const phase = vmi?.status?.phase ?? ''
  if (vmi && !isFinal(vmi) && phase !== '' && phase !== 'Unknown') throw refuse('VM is already running')
  if (hasCondition(vm, 'ManualRecoveryRequired')) {
    throw refuse('VM recovery required: Volume migration failed, restore the volumes of the VM before it is started')
  }
  const strategy = runStrategyOf(vm)
  const request: VirtualMachineStateChangeRequest = { action: 'Start', ...(paused && { data: { paused: 'true' } }) }
  switch (strategy) {
    case 'Halted':
      return paused ? requestChanges(vm, [request]) : changeRunStrategy(vm, 'Always')
    case 'RerunOnFailure':
      if (phase === 'Failed') throw refuse('RerunOnFailure does not support starting VM from failed state')
      return requestChanges(vm, afterFinished(vmi, phase === 'Succeeded', request))
    case 'Manual':
      return requestChanges(vm, afterFinished(vmi, vmi !== undefined && isFinal(vmi), request))
    default:
      throw refuse(`${strategy} does not support manual start requests`)
  }
}

/** A guest that ended is cleared away first. */
function afterFinished(
  vmi: VirtualMachineInstance | undefined,
  finished: boolean,
  request: VirtualMachineStateChangeRequest,
): VirtualMachineStateChangeRequest[] {
  return finished ? [{ action: 'Stop', ...(vmi?.metadata.uid && { uid: vmi.metadata.uid }) }, request] : [request]
}
