import { expect, test } from '@jest/globals'
import type { VirtualMachineCondition, VirtualMachineStatus } from '@kubevirt-ts/api'
import { vm, vmi } from '@kubevirt-ts/libvmi'
import { passesWithin } from './passing.ts'
import type { Seen } from './seen.ts'

const unready = (reason: string): VirtualMachineCondition => ({ type: 'Ready', status: 'False', reason })
const seenWith = (status: VirtualMachineStatus): Seen => ({ vm: { ...vm(vmi()), status } }) as Seen

test.each<[string, VirtualMachineStatus, VirtualMachineStatus, number]>([
  ['starting', {}, { printableStatus: 'Starting', created: true }, 500],
  [
    'starting as before, but for another step that is still to be done',
    { printableStatus: 'Starting', conditions: [unready('VMINotExists')] },
    { printableStatus: 'Starting', created: true, conditions: [unready('GuestNotRunning')] },
    30_000,
  ],
  [
    'starting after a restart that was asked for',
    { printableStatus: 'Running', conditions: [{ type: 'RestartRequired', status: 'True' }] },
    { printableStatus: 'Starting', conditions: [] },
    0,
  ],
  [
    'starting as before, with something to tell besides',
    { printableStatus: 'Starting', conditions: [unready('GuestNotRunning')] },
    {
      printableStatus: 'Starting',
      conditions: [unready('GuestNotRunning'), { type: 'Synchronized', status: 'False' }],
    },
    2000,
  ],
  [
    'running, and the kubelet has not looked yet',
    { printableStatus: 'Starting' },
    { printableStatus: 'Running', ready: false, conditions: [unready('ReadinessGatesNotReady')] },
    30_000,
  ],
  [
    'running, and its probe does not succeed',
    { printableStatus: 'Starting' },
    { printableStatus: 'Running', ready: false, conditions: [unready('ContainersNotReady')] },
    2000,
  ],
  [
    'running, and no longer ready',
    { printableStatus: 'Running', ready: true },
    { printableStatus: 'Running', ready: false, conditions: [unready('ReadinessGatesNotReady')] },
    2000,
  ],
  ['ready', { printableStatus: 'Starting' }, { printableStatus: 'Running', ready: true }, 0],
  ['stopping', { printableStatus: 'Running', ready: true }, { printableStatus: 'Stopping' }, 500],
  ['deleted', { printableStatus: 'Running', ready: true }, { printableStatus: 'Terminating' }, 5000],
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
