import { expect, test } from '@jest/globals'
import { parseOptions } from '@kubevirt-ts/service'
import { options, unservedFlags } from './options.ts'

const parsed = (...argv: string[]) => parseOptions(options, argv, {})

test.each([
  ['vmi', 10],
  ['vm', 10],
  ...['node', 'rs', 'pool', 'migration', 'evacuation', 'disruption-budget'].map((name) => [name, 3] as const),
])('the controller %s has %d workers, or as many as its flag says', (name, count) => {
  const flag = `--${name}-controller-threads`
  const of = (values: object) => Object.values(values)
  const [before, after] = [parsed(), parsed(flag, '77')]
  expect(of(after).filter((value) => value === 77)).toHaveLength(1)
  const key = Object.entries(after).find(([, value]) => value === 77)?.[0] as keyof typeof before
  expect(before[key]).toBe(count)
})

test('flags of controllers that are not here are taken, and told to have no effect', () => {
  expect(unservedFlags(parsed())).toEqual([])
  const given = ['--snapshot-controller-threads=6', '--snapshot-controller-resync-period', '5m']
  const threads = ['restore', 'export', 'clone', 'backup'].map((name) => `--${name}-controller-threads=3`)
  expect(unservedFlags(parsed(...given, ...threads))).toEqual([
    '--snapshot-controller-threads',
    '--snapshot-controller-resync-period',
    ...threads.map((flag) => flag.replace('=3', '')),
  ])
})
