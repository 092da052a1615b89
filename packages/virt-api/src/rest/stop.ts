import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { decodeOptions } from './body.ts'
import { applyChanges, changeRunStrategy, requestChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchWithGuest, vmKind } from './subjects.ts'
import { isLive, runStrategyOf } from './vm-state.ts'

/** Stops a VM. */
export async function stop({ client }: RestParts, target: Target, body: object): Promise<void> {
  const { gracePeriod, dryRun } = decodeOptions('StopOptions', body)
  const { vm, vmi } = await fetchWithGuest(client, target)
  await applyChanges(client, target, stopChanges(vm, vmi, gracePeriod), dryRun)
}

/** What stops the VM, a shorter grace period for its guest first. Throws a 409 when there is nothing to stop. */
export function stopChanges(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  gracePeriod: number | undefined,
): Change[] {
  const shortened = gracePeriod !== undefined && isLive(vmi) ? [changeGracePeriod(vmi, gracePeriod)] : []
  return [...shortened, stopChange(vm, vmi, gracePeriod)]
}

function stopChange(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  gracePeriod: number | undefined,
): Change {
  const refuse = (message: string) => conflict(vmKind, vm.metadata.name, message)
  const strategy = runStrategyOf(vm)
  if (strategy !== 'Halted' && strategy !== 'RerunOnFailure' && strategy !== 'Manual') {
    return changeRunStrategy(vm, 'Halted')
  }
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
