import { expect, test } from '@jest/globals'
import type { VirtualMachineStatus } from '@kubevirt-ts/api'
import { vm, vmi } from '@kubevirt-ts/libvmi'
import { passesWithin } from './passing.ts'
import type { Seen } from './seen.ts'

const seenWith = (status: VirtualMachineStatus): Seen => ({ vm: { ...vm(vmi()), status } }) as Seen

test.each<[string, VirtualMachineStatus, VirtualMachineStatus, number]>([
  ['starting', {}, { printableStatus: 'Starting', created: true }, 500],
  [
    'starting as before, but for another reason not ready',
    { printableStatus: 'Starting' },
    { printableStatus: 'Starting', created: true },
    10_000,
  ],
  ['running, but not ready yet', { printableStatus: 'Starting' }, { printableStatus: 'Running', ready: false }, 2000],
  ['ready', { printableStatus: 'Starting' }, { printableStatus: 'Running', ready: true }, 0],
  ['stopping', { printableStatus: 'Running', ready: true }, { printableStatus: 'Stopping' }, 500],
  ['deleted', { printableStatus: 'Running', ready: true }, { printableStatus: 'Terminating' }, 2000],
  ['stopped', { printableStatus: 'Stopping' }, { printableStatus: 'Stopped' }, 0],
  ['unschedulable', { printableStatus: 'Starting' }, { printableStatus: 'ErrorUnschedulable' }, 0],
  [
    'starting, and a request is served',
    { stateChangeRequests: [{ action: 'Start' }] },
    { printableStatus: 'Starting' },
    0,
  ],
  [
    'starting, and it failed',
    {},
    { printableStatus: 'Starting', conditions: [{ type: 'Failure', status: 'True' }] },
    0,
  ],
])('a status of a VM that is %s may stay untold so long', (_, before, after, milliseconds) => {
  expect(passesWithin(seenWith(before), after)).toBe(milliseconds)
})
