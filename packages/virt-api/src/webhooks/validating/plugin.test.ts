import { expect, test } from '@jest/globals'
import { admission, fields } from '../../../test/admission.ts'

test.each([
  ['a plugin', { spec: { domainHooks: [{ cel: { expression: 'domain' } }] } }, []],
  [
    'a plugin with both kinds of hook in one, and moments that are none',
    {
      spec: {
        failureStrategy: 'Retry',
        domainHooks: [{ cel: { expression: ' ' }, sidecar: { socketPath: 'a.sock' }, timeout: '0s' }],
        nodeHooks: [{ socket: '/run/../etc', permittedHooks: ['AtNoon'] }],
      },
    },
    [
      'spec.failureStrategy',
      'spec.domainHooks[0]',
      'spec.domainHooks[0].cel.expression',
      'spec.domainHooks[0].sidecar.socketPath',
      'spec.domainHooks[0].timeout',
      'spec.nodeHooks[0].socket',
      'spec.nodeHooks[0].permittedHooks',
    ],
  ],
])('%s is answered with its fields', async (_, object, expected) => {
  expect(await fields('/plugin-validate', object, { gates: ['Plugins'] })).toEqual(expected)
})

test('a plugin needs its feature gate', async () => {
  expect((await admission('/plugin-validate', { spec: {} })).denied).toEqual({
    code: 400,
    message: expect.stringContaining('enable Plugins'),
  })
})
