import { isDeepStrictEqual } from 'node:util'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { notSupported, when } from '../cause.ts'
import type { Cause } from '../cause.ts'

/** What a VM may not change while a snapshot or a restore of it is under way. */
export function changesInProgress(vm: VirtualMachine, old: VirtualMachine): Cause[] {
  return [...duringSnapshot(vm, old), ...duringRestore(vm, old)]
}

function duringSnapshot(vm: VirtualMachine, old: VirtualMachine): Cause[] {
  const snapshot = vm.status?.snapshotInProgress
  if (!snapshot) return []
  const storage = ({ spec }: VirtualMachine) => [
    spec.template?.spec?.volumes,
    spec.template?.spec?.domain?.devices?.disks,
  ]
  const running = ({ spec }: VirtualMachine) => [spec.running, spec.runStrategy]
  return [
    ...when(!isDeepStrictEqual(storage(vm), storage(old)), () =>
      notSupported('spec', `Cannot update vm disks or volumes until snapshot "${snapshot}" completes`),
    ),
    ...when(!isDeepStrictEqual(running(vm), running(old)), () =>
      notSupported('spec', `Cannot update vm running state until snapshot "${snapshot}" completes`),
    ),
  ]
}

function duringRestore({ spec, status }: VirtualMachine, old: VirtualMachine): Cause[] {
  const restore = status?.restoreInProgress
  const strategy = spec.runStrategy ?? (spec.running ? 'Always' : 'Halted')
  return when(Boolean(restore) && !isDeepStrictEqual(spec, old.spec) && strategy !== 'Halted', () =>
    notSupported('spec', `Cannot update VM runStrategy until restore "${restore}" completes`),
  )
}
