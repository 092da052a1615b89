import { expect, test } from '@jest/globals'
import type { Lifecycle } from '@kubevirt-ts/libvirt'
import type { LauncherState } from '../launcher.ts'
import { lookAfter } from './switch-over.ts'

const stateOf = (more: Partial<LauncherState> = {}): LauncherState => ({
  pausedByUser: false,
  facts: {},
  agent: {},
  ...more,
})
const lifecycle = (event: Lifecycle, detail = 0) => ({ kind: 'lifecycle', domain: 'ns_vm', event, detail }) as const
/** Detail of a guest that stops because its move ends. */
const toMove = 1

test('a guest that stands still to change places is not looked at; one that its user pauses is', () => {
  const migration = { uid: 'move', startTimestamp: '2026-01-01T00:00:00Z' }
  const moved = { ...migration, endTimestamp: '2026-01-01T00:00:01Z' }

  expect(lookAfter(lifecycle('suspended', toMove), stateOf({ migration }))).toBe('never')
  expect(lookAfter(lifecycle('suspended'), stateOf({ migration }))).toBe(0)
  expect(lookAfter(lifecycle('suspended', toMove), stateOf())).toBe(0)
  expect(lookAfter(lifecycle('suspended', toMove), stateOf({ migration: moved }))).toBe(0)
})

test('a guest that has arrived has its first moments to itself, once', () => {
  const state = stateOf({ arrival: 'expected' })

  expect(lookAfter(lifecycle('started'), state)).toBe(0)
  expect(lookAfter(lifecycle('resumed'), state)).toBeGreaterThan(0)
  expect(state.arrival).toBe('ran')
  expect(lookAfter(lifecycle('resumed'), state)).toBe(0)
  expect(lookAfter(lifecycle('resumed'), stateOf())).toBe(0)
})

test('that its agent comes and goes is told at once, but not of a guest that is on its way', () => {
  const agent = { kind: 'agent', domain: 'ns_vm', connected: true } as const

  expect(lookAfter(agent, stateOf())).toBe(0)
  expect(lookAfter(agent, stateOf({ arrival: 'coming' }))).toBe('never')
  expect(lookAfter(agent, stateOf({ arrival: 'ran' }))).toBe(0)
})
