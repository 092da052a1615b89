import { expect, test } from '@jest/globals'
import {
  migrationDoubtOf,
  pods,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  withMigrationDoubt,
} from '@kubevirt-ts/api'
import { guest, launcher, migrationOf, migrationWorld } from './migration-world.ts'

/** A move whose nodes lost each other at the switch-over: its source asks where the guest is. */
async function inDoubt() {
  const web = guest('web')
  const job = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  await job.settle()
  await job.agents('web', { targetNodeAddress: '192.0.2.2', startTimestamp: '2026-01-01T00:00:00Z' })
  await job.settle()
  const { annotations } = withMigrationDoubt(job.vmi('web').metadata, 'uid-move', 'asked')
  const at = { namespace: 'default', name: 'web' }
  await job.client.patch(virtualMachineInstances, at, { metadata: { annotations } }, { type: 'merge' })
  return { job, doubt: () => migrationDoubtOf(job.vmi('web').metadata, 'uid-move') }
}

test('while nobody knows where a guest is its move goes on, and its target stays', async () => {
  const { job, doubt } = await inDoubt()
  await job.settle()

  expect(doubt()).toBe('asked')
  expect(job.vmi('web').status?.migrationState?.failed).toBeUndefined()
  expect(job.targets()).toHaveLength(1)
})

test('a target pod that has ended cannot say whether the guest ran in it: the guest is lost', async () => {
  const { job, doubt } = await inDoubt()
  await job.targetIs('move', { phase: 'Failed' })
  await job.settle()

  expect(doubt()).toBe('lost')
  expect(job.vmi('web').status?.migrationState).toMatchObject({ failed: true, completed: true })
  expect(job.phase('move')).toBe('Failed')
})

test('a target pod that is gone answers also for a move that has failed before', async () => {
  const { job, doubt } = await inDoubt()
  await job.agents('web', { failed: true, completed: true })
  const { name } = job.target('move')!.metadata
  await job.client.delete(pods, { namespace: 'default', name })
  await job.settle()

  expect(doubt()).toBe('lost')
  expect(job.phase('move')).toBe('Failed')
})

test('no other move of the guest begins before it was found', async () => {
  const { job } = await inDoubt()
  await job.agents('web', { failed: true, completed: true })
  const next = migrationOf('next', 'web')
  await job.client.create(virtualMachineInstanceMigrations, next)
  await job.settle()

  expect(job.phase('move')).toBe('Failed')
  expect(job.target('next')).toBeUndefined()
  expect(job.vmi('web').status?.migrationState).toMatchObject({ migrationUid: 'uid-move' })
})
