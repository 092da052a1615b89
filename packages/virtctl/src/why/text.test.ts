import { expect, test } from '@jest/globals'
import { now, runningPod, seen, vm, vmi } from '../../test/machines.ts'
import { report } from './report.ts'
import { age, text } from './text.ts'

test('one screen holds verdict, chain, ages and cures', () => {
  const screen = text(
    report(seen({ vm: vm({ runStrategy: 'Halted' }, { printableStatus: 'Stopped' }), hidden: ['nodes'] })),
    now,
  )
  expect(screen.split('\n')).toEqual([
    'shop/web: not running: it is told to be off (runStrategy: Halted)',
    '',
    expect.stringMatching(/^VM +web +Stopped \(30m\)$/),
    '        x it is told to be off (runStrategy: Halted) [Halted]',
    '            virtctl -n shop start web',
    '',
    'You may not see nodes; an administrator may see more.',
  ])
})

test('what only takes its time is told as such', () => {
  const screen = text(report(seen({ vm: vm(), vmi: vmi('Scheduling'), pod: runningPod })), now)
  expect(screen).toMatch(/^shop\/web: not running yet: nothing stands in the way, the VMI is Scheduling$/m)
})

test.each([
  [30, '30s'],
  [119, '119s'],
  [600, '10m'],
  [7200, '2h'],
  [200_000, '2d'],
])('%d seconds are %s', (seconds, expected) => {
  expect(age(new Date(now.getTime() - seconds * 1000).toISOString(), now)).toBe(expected)
})
