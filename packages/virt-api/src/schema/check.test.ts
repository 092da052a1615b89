import { expect, test } from '@jest/globals'
import { shapeProblem } from './check.ts'

test.each([
  ['a field that there is not', { domain: { cpu: { kores: 1 } } }, 'spec.domain.cpu.kores in body is a forbidden'],
  [
    'an item of a list',
    { volumes: [{ name: 'a' }, { name: 2 }] },
    'spec.volumes[1].name in body must be of type string',
  ],
  ['a list that is none', { volumes: {} }, 'spec.volumes in body must be of type array'],
  ['a member of a map', { nodeSelector: { zone: 1 } }, 'spec.nodeSelector.zone in body must be of type string'],
  ['an amount', { domain: { memory: { guest: 'much' } } }, 'spec.domain.memory.guest in body must be of type quantity'],
  ['a part that is none', { domain: [] }, 'spec.domain in body must be of type object'],
  [
    'a word that is none of the allowed',
    { volumes: [{ containerDisk: { imagePullPolicy: 'Now' } }] },
    'spec.volumes[0].containerDisk.imagePullPolicy in body should be one of [Always IfNotPresent Never]',
  ],
])('%s is named with its whole path', (_, spec, problem) => {
  expect(shapeProblem('VirtualMachineInstanceSpec', spec, 'spec')?.slice(0, problem.length)).toBe(problem)
})

test('what is null counts as absent', () => {
  const spec = { domain: { cpu: null, devices: { disks: [null] } }, volumes: null }
  expect(shapeProblem('VirtualMachineInstanceSpec', spec, 'spec')).toBeUndefined()
})
