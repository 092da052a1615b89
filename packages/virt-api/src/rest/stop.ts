import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { decodeOptions } from './body.ts'
import { applyChanges, callOffStart, changeRunStrategy, requestChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchVm, findVmi, vmKind } from './subjects.ts'
import { isLive, runStrategyOf } from './vm-state.ts'

/** Stops a VM. */
export async function stop({ client }: RestParts, target: Target, body: object): Promise<void> {
  const { gracePeriod } = decodeOptions('StopOptions', body)
  const vm = await fetchVm(client, target)
  // A VM that is simply switched off is so whatever its guest does.
  const vmi = isSwitched(vm) && gracePeriod === undefined ? undefined : await findVmi(client, target)
  await applyChanges(client, target, stopChanges(vm, vmi, gracePeriod))
}

/**
 * What stops the VM, a shorter grace period for its guest first; a restart that is under way does not bring it back.
 * Throws a 409 when there is nothing to stop.
 */
export function stopChanges(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  gracePeriod: number | undefined,
): Change[] {
  const shortened = gracePeriod !== undefined && isLive(vmi) ? [changeGracePeriod(vmi, gracePeriod)] : []
  return [...shortened, ...(isSwitched(vm) ? callOffStart(vm) : []), stopChange(vm, vmi, gracePeriod)]
}

/** Whether the run strategy is what keeps the guest running. */
const isSwitched = (vm: VirtualMachine): boolean => !['Halted', 'RerunOnFailure', 'Manual'].includes(runStrategyOf(vm))

function stopChange(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  gracePeriod: number | undefined,
): Change {
  const refuse = (message: string) => conflict(vmKind, vm.metadata.name, message)
  if (isSwitched(vm)) return changeRunStrategy(vm, 'Halted')
  const strategy = runStrategyOf(vm)
  if (!isLive(vmi)) throw refuse('VM is not running')
  const old = vmi.spec.terminationGracePeriodSeconds
  if (strategy === 'Halted' && (gracePeriod === undefined || (old !== undefined && gracePeriod >= old))) {
    throw refuse('Halted only supports manual stop requests with a shorter graceperiod')
  }
  return requestChanges(vm, [{ action: 'Stop', ...(vmi.metadata.uid && { uid: vmi.metadata.uid }) }])
}

/** Gives a running guest another time to shut down in, in seconds. */
export function changeGracePeriod(vmi: VirtualMachineInstance, seconds: number): Change {
  const path = '/spec/terminationGracePeriodSeconds'
  const old = vmi.spec.terminationGracePeriodSeconds
  return {
    on: 'vmi',
    patch: [
      ...(old === undefined ? [] : [{ op: 'test', path, value: old } as const]),
      { op: old === undefined ? 'add' : 'replace', path, value: seconds },
    ],
  }
}
