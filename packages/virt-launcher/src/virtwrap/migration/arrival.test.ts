import { beforeEach, expect, test } from '@jest/globals'
import { createLogger } from '@kubevirt-ts/service'
import type { Launcher, LauncherState } from '../launcher.ts'
import { hasFailedToArrive, noteArrival, refuseArrival } from './arrival.ts'

let state: LauncherState
let launcher: Launcher
/** How often libvirt was asked for the domain; each question runs `onLook`. */
let onLook: () => void

beforeEach(() => {
  state = { pausedByUser: false, facts: {}, agent: {}, arrival: 'expected' }
  onLook = () => undefined
  const change = async (use: (domain: unknown) => Promise<unknown>) => {
    onLook()
    return use(state.arrival === 'coming' ? { state: async () => ({ state: 'running' }) } : undefined)
  }
  launcher = {
    state,
    libvirt: { change },
    log: createLogger({ component: 'test', destination: { write() {} } }),
  } as unknown as Launcher
})

test('a guest that never came will not come', async () => {
  await refuseArrival(launcher)

  expect(hasFailedToArrive(state)).toBe(true)
})

test('a guest that is on its way is waited for: libvirt ends it with its connection', async () => {
  noteArrival(state, 'started')
  onLook = () => noteArrival(state, 'stopped')

  await refuseArrival(launcher)

  expect(state.arrival).toBe('gone')
})

test('a guest that begins to run at this very moment is not refused', async () => {
  noteArrival(state, 'started')
  onLook = () => noteArrival(state, 'resumed')

  await expect(refuseArrival(launcher)).rejects.toMatchObject({ reason: 'GuestHasRun' })
})

test('that a guest ran here is not forgotten when it ends', async () => {
  for (const event of ['started', 'resumed', 'stopped'] as const) noteArrival(state, event)

  expect(hasFailedToArrive(state)).toBe(false)
  await expect(refuseArrival(launcher)).rejects.toMatchObject({ reason: 'GuestHasRun' })
})

test('a launcher that starts its guest itself expects none', () => {
  delete state.arrival
  for (const event of ['started', 'stopped'] as const) noteArrival(state, event)

  expect(hasFailedToArrive(state)).toBe(false)
})
