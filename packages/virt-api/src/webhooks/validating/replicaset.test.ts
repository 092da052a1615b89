import { expect, test } from '@jest/globals'
import { fields } from '../../../test/admission.ts'

const template = (spec: object = {}) => ({
  metadata: { labels: { app: 'x' } },
  spec: { domain: { devices: {}, memory: { guest: '128Mi' } }, ...spec },
})

test.each([
  ['a replica set', { spec: { selector: { matchLabels: { app: 'x' } }, template: template() } }, []],
  [
    'a replica set of broken guests that it would not find',
    { spec: { selector: { matchLabels: { app: 'y' } }, template: template({ evictionStrategy: 'Never' }) } },
    ['spec.template.spec.evictionStrategy', 'spec.selector'],
  ],
])('%s is answered with its fields', async (_, object, expected) => {
  expect(await fields('/virtualmachinereplicaset-validate', object)).toEqual(expected)
})
