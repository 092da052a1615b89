import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

test.each([
  [
    'an instance type',
    '/virtualmachineinstancetypes-validate',
    { spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } } },
    [],
  ],
  [
    'an instance type that shares huge pages',
    '/virtualmachineclusterinstancetypes-validate',
    { spec: { cpu: { guest: 1 }, memory: { guest: '1Gi', overcommitPercent: 10, hugepages: {} } } },
    ['spec.memory.overcommitPercent'],
  ],
  [
    'a preference of an unknown topology',
    '/virtualmachinepreferences-validate',
    { spec: { cpu: { preferredCPUTopology: 'preferChaos' } } },
    ['spec.cpu.preferredCPUTopology'],
  ],
  [
    'a preference of three threads',
    '/virtualmachineclusterpreferences-validate',
    { spec: { cpu: { spreadOptions: { across: 'CoresThreads', ratio: 3 } } } },
    ['spec.cpu.spreadOptions.ratio'],
  ],
])('%s is answered with its fields', async (_, path, object, expected) => {
  expect(await fields(path, object)).toEqual(expected)
})
