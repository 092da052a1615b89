import { beforeEach, expect, test } from '@jest/globals'
import { type MigrationDoubt, type VirtualMachineInstance, withMigrationDoubt } from '@kubevirt-ts/api'
import type { MoveGuide, Whereabouts } from '@kubevirt-ts/libvirt'
import { createLogger } from '@kubevirt-ts/service'
import type { Launcher, LauncherState } from '../launcher.ts'
import { unpause } from '../operations/unpause.ts'
import { cancelMigration, startMigration } from './source.ts'

const named = { name: 'vm', uid: 'u' }
const vmi = (doubt?: MigrationDoubt): VirtualMachineInstance => ({
  metadata: doubt === undefined ? named : withMigrationDoubt(named, 'm', doubt),
  spec: { domain: { devices: {} } },
  status: { migrationState: { migrationUid: 'm' } },
})

let state: LauncherState
let launcher: Launcher
let calls: string[]
let targetQemu: string
/** What becomes of the guest, once libvirt moves it. */
let move: (guide: MoveGuide) => Promise<Whereabouts>

beforeEach(() => {
  calls = []
  targetQemu = '10.0.2'
  state = { pausedByUser: false, facts: {}, agent: {} }
  const domain = {
    xml: async () => '<domain/>',
    info: async () => ({ memory: 1 }),
    job: async () => ({ elapsedMs: 0, dataTotal: 0, dataProcessed: 0, dataRemaining: 0, memoryTotal: 0 }),
    abortJob: async () => void calls.push('abort'),
    resume: async () => void calls.push('resume'),
    state: async () => ({ state: 'paused' }),
    async migrate(_: unknown, __: unknown, guide: MoveGuide) {
      if ((await move(guide)) === 'here') throw new Error('it goes on here')
    },
  }
  const versions = (qemu: string) => ({ version: async () => qemu, libvirtVersion: async () => '11.3.0' })
  const use = async (task: (domain: unknown, connection: unknown) => Promise<unknown>) =>
    task(domain, versions('10.0.2'))
  const reach = async () => ({
    ...versions(targetQemu),
    onLost: () => undefined,
    close: async () => void calls.push('close'),
  })
  launcher = {
    state,
    options: { shareDir: '/share' },
    libvirt: { ask: use, change: use, move: use, askAgent: async () => undefined, reach },
    log: createLogger({ component: 'test', destination: { write() {} } }),
    onFacts: () => undefined,
  } as unknown as Launcher
})

const ended = async () => {
  while (state.migration?.endTimestamp === undefined) await new Promise(setImmediate)
  return state.migration
}
const held = async () => {
  while (state.settle === undefined) await new Promise(setImmediate)
}

test('a guest that arrived has moved, and the way to its target is closed', async () => {
  move = async () => 'there'
  await startMigration(vmi(), {}, launcher)

  expect(await ended()).not.toHaveProperty('failed')
  expect(calls).toEqual(['close'])
})

test('a guest whose whereabouts are not known stands still, whoever wants it to run, until its target does not have it', async () => {
  move = ({ whereIsIt }) => whereIsIt()
  await startMigration(vmi(), {}, launcher)
  await held()
  expect(state.migration).toMatchObject({ inDoubt: 'true' })

  await expect(unpause(launcher)).rejects.toMatchObject({ reason: 'MigrationInDoubt' })
  for (const no of [vmi(), vmi('lost')])
    await expect(cancelMigration(no, launcher)).rejects.toMatchObject({ reason: 'MigrationInDoubt' })
  expect(state.migration?.endTimestamp).toBeUndefined()

  await cancelMigration(vmi('stayed'), launcher)
  expect(await ended()).toMatchObject({ failed: 'true' })
  expect(state.migration).not.toHaveProperty('inDoubt')
  expect(calls).not.toContain('resume')
})

test('after post-copy nobody is asked: libvirt knows that half of the guest is gone', async () => {
  move = async ({ whereIsIt }) => {
    state.migration = { ...state.migration, mode: 'PostCopy' }
    return whereIsIt()
  }
  await startMigration(vmi(), {}, launcher)

  expect(await ended()).toMatchObject({ failed: 'true', failureReason: 'it goes on here' })
})

test('a move that fails towards another version names both, and the way to its target is closed', async () => {
  targetQemu = '9.2.0'
  move = async () => 'here'
  await startMigration(vmi(), {}, launcher)

  const { failureReason } = await ended()
  expect(failureReason).toContain('it goes on here (the versions differ: QEMU 10.0.2')
  expect(failureReason).toContain('QEMU 9.2.0')
  expect(calls).toEqual(['close'])
})

test('a move that is cancelled before it copies ends with its next step', async () => {
  move = async ({ cancelled }) => {
    await cancelMigration(vmi(), launcher)
    return cancelled?.aborted === true ? 'here' : 'there'
  }
  await startMigration(vmi(), {}, launcher)

  expect(await ended()).toMatchObject({ abortStatus: 'Succeeded', failureReason: 'the migration was cancelled' })
  expect(calls).toContain('abort')
})
