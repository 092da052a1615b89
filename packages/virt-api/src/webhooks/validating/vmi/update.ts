import { isDeepStrictEqual } from 'node:util'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { notSupported, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { reservedLabels } from './metadata.ts'

/** What others than KubeVirt may change of a VMI: its metadata without the labels that KubeVirt works with. */
export function validateVmiUpdate(old: VirtualMachineInstance, next: VirtualMachineInstance): Cause[] {
  const changed = reservedLabels.filter((name) => old.metadata.labels?.[name] !== next.metadata.labels?.[name])
  return [
    ...when(!isDeepStrictEqual(old.spec, next.spec), () =>
      notSupported('', 'update of VMI object is restricted; change the VirtualMachine, or make a new VMI'),
    ),
    ...when(changed.length > 0, () =>
      notSupported(
        'metadata.labels',
        `modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited: ${changed.join(', ')}`,
      ),
    ),
  ]
}

/** What KubeVirt itself may not change: the most that a running guest was promised to grow to. */
export function limitsKept(old: VirtualMachineInstance, next: VirtualMachineInstance): Cause[] {
  const limits = [
    ['spec.domain.cpu.maxSockets', ({ spec }: VirtualMachineInstance) => spec.domain?.cpu?.maxSockets],
    ['spec.domain.memory.maxGuest', ({ spec }: VirtualMachineInstance) => spec.domain?.memory?.maxGuest],
  ] as const
  return limits.flatMap(([field, read]) =>
    when(read(old) !== read(next), () => notSupported(field, `${field} can not be changed while the guest runs`)),
  )
}
