import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
}
const pool = (spec: object = {}) => ({
  spec: { selector: { matchLabels: { app: 'x' } }, virtualMachineTemplate: template, ...spec },
})

test.each([
  ['a pool', pool(), []],
  ['a pool without template', { spec: {} }, ['spec.virtualMachineTemplate']],
  [
    'a pool whose template is no VM',
    pool({ virtualMachineTemplate: { ...template, spec: { ...template.spec, runStrategy: 'Never' } } }),
    ['spec.virtualMachineTemplate.spec.runStrategy'],
  ],
  ['a pool that finds not its own', pool({ selector: { matchLabels: { app: 'y' } } }), ['spec.selector']],
  ['a pool with all away', pool({ maxUnavailable: '101%' }), ['spec.maxUnavailable']],
  ['a pool with none away', pool({ maxUnavailable: 0 }), ['spec.maxUnavailable']],
  ['a pool with two strategies', pool({ updateStrategy: { proactive: {}, unmanaged: {} } }), ['spec.updateStrategy']],
])('%s is answered with its fields', async (_, object, expected) => {
  expect(await fields('/virtualmachinepool-validate', object)).toEqual(expected)
})
