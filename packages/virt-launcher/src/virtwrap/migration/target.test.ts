import { expect, test } from '@jest/globals'
import { vmi, withStatus } from '@kubevirt-ts/libvmi'
import { type CompletedJob, type Domain, LibvirtError } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'
import { finalizeMigration } from './target.ts'

const guest = vmi(withStatus({ migrationState: { migrationUid: 'm' } }))
const job: CompletedJob = { elapsedMs: 2_000, dataTotal: 300, dataProcessed: 200, downtimeMs: 120 }

/** A guest whose libvirt answers these, one after the other. */
function arrived(...answers: (CompletedJob | undefined | Error)[]) {
  let looks = 0
  const domain = {
    completedJob: async () => {
      const answer = answers[Math.min(looks++, answers.length - 1)]
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as Domain
  const state: Partial<Launcher['state']> = { facts: {} }
  let told = 0
  let agentAsked = 0
  const { promise: clockSet, resolve } = Promise.withResolvers<void>()
  const launcher = {
    libvirt: {
      ask: (use: (domain: Domain) => Promise<unknown>) => use(domain),
      askAgent: async () => {
        // It has not been heard of yet when it is asked first.
        if (agentAsked++ === 0) throw new LibvirtError('set time', { code: 86, domain: 10, message: 'not connected' })
        resolve()
      },
    },
    state,
    log: { info: () => undefined, warn: () => undefined },
    onFacts: () => void told++,
  } as unknown as Launcher
  return { launcher, state, told: () => told, agentAsked: () => agentAsked, clockSet }
}

test('the target tells how long the guest stood still, as soon as libvirt knows', async () => {
  const { launcher, state, told } = arrived(undefined, new Error('busy'), job)

  await finalizeMigration(guest, launcher)

  expect(state.migration).toEqual({
    uid: 'm',
    endTimestamp: expect.any(String),
    progress: { totalBytes: 300, remainingBytes: 0, bytesPerSecond: 100, downtimeMs: 120 },
  })
  expect(told()).toBe(1)
})

test('a guest that stood still for less than a millisecond is told of, too', async () => {
  const { launcher, state } = arrived({ ...job, downtimeMs: 0 })

  await finalizeMigration(guest, launcher)

  expect(state.migration?.progress).toMatchObject({ downtimeMs: 0 })
})

test('a guest of which libvirt tells nothing has arrived all the same', async () => {
  const { launcher, state, told } = arrived(undefined)

  await finalizeMigration(guest, launcher)

  expect(state.migration).toBeUndefined()
  expect(told()).toBe(0)
})

test('the clock of a guest with an agent is set once that is heard of; a guest without one is not asked', async () => {
  const without = arrived(job)
  await finalizeMigration(guest, without.launcher)
  const conditions = [{ type: 'AgentConnected', status: 'True' as const }]
  const { launcher, clockSet } = arrived(job)
  await finalizeMigration({ ...guest, status: { ...guest.status, conditions } }, launcher)

  await clockSet
  expect(without.agentAsked()).toBe(0)
})
