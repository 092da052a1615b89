import { expect, test } from '@jest/globals'
import { parseDemoOptions } from './options.ts'

test('without options the demo makes a cluster of its own', () => {
  expect(parseDemoOptions([], {})).toEqual({
    kubeconfig: undefined,
    registry: undefined,
    nodes: 1,
    down: false,
    kvm: false,
  })
})

test('KUBECONFIG means a cluster of the user, and the flag wins over it', () => {
  expect(parseDemoOptions([], { KUBECONFIG: '/a' })).toMatchObject({ kubeconfig: '/a' })
  expect(parseDemoOptions(['--kubeconfig', '/b'], { KUBECONFIG: '/a' })).toMatchObject({ kubeconfig: '/b' })
})

test.each([
  [['--nodes', '0'], 'whole number'],
  [['--nodes', 'two'], 'whole number'],
  [['--registry', 'r.example'], '--kubeconfig'],
  [['--fast'], '--fast'],
])('%j is refused, and the refusal names it', (argv, named) => {
  expect(() => parseDemoOptions(argv, {})).toThrow(named)
})
