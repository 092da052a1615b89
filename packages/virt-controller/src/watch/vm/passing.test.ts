import { expect, test } from '@jest/globals'
import type { VirtualMachineStatus } from '@kubevirt-ts/api'
import { vm, vmi } from '@kubevirt-ts/libvmi'
import { isPassing } from './passing.ts'
import type { Seen } from './seen.ts'

const seenWith = (status: VirtualMachineStatus): Seen => ({ vm: { ...vm(vmi()), status } }) as Seen

test.each<[string, VirtualMachineStatus, VirtualMachineStatus, boolean]>([
  ['starting', {}, { printableStatus: 'Starting', created: true }, true],
  ['running, but not ready yet', { printableStatus: 'Starting' }, { printableStatus: 'Running', ready: false }, true],
  ['ready', { printableStatus: 'Starting' }, { printableStatus: 'Running', ready: true }, false],
  ['stopping', { printableStatus: 'Running', ready: true }, { printableStatus: 'Stopping' }, true],
  ['stopped', { printableStatus: 'Stopping' }, { printableStatus: 'Stopped' }, false],
  ['unschedulable', { printableStatus: 'Starting' }, { printableStatus: 'ErrorUnschedulable' }, false],
  [
    'starting, and a request is served',
    { stateChangeRequests: [{ action: 'Start' }] },
    { printableStatus: 'Starting' },
    false,
  ],
  [
    'starting, and it failed',
    {},
    { printableStatus: 'Starting', conditions: [{ type: 'Failure', status: 'True' }] },
    false,
  ],
])('a VM that is %s', (_, before, after, passing) => {
  expect(isPassing(seenWith(before), after)).toBe(passing)
})
