import { expect, test } from '@jest/globals'
import type { LauncherState } from '../launcher.ts'
import { isInDoubt } from './source.ts'

const state = (more: Partial<LauncherState>): LauncherState =>
  ({ pausedByUser: false, facts: {}, agent: {}, stoppedToMove: true, migration: { mode: 'PreCopy' }, ...more }) as never

test.each<[boolean, string, Partial<LauncherState>, string | undefined]>([
  [true, 'broke off after the guest was stopped for it', {}, undefined],
  [false, 'broke off while memory was copied', { stoppedToMove: false }, undefined],
  [false, 'was cancelled', { migration: { mode: 'PreCopy', abortStatus: 'Aborting' } }, undefined],
  [false, 'was given up for its time', {}, 'the migration did not end within 2 s'],
  [false, 'broke off in post-copy', { migration: { mode: 'PostCopy' } }, undefined],
])('in doubt: %s for a move that %s', (expected, _, more, givenUp) => {
  expect(isInDoubt(state(more), givenUp)).toBe(expected)
})
