import { expect, test } from '@jest/globals'
import { virtualMachineInstanceMigrations, virtualMachineInstances as vmis } from '@kubevirt-ts/api'
import { guest, launcher, migrationOf, migrationWorld } from './migration-world.ts'

test('no more migrations run than the cluster and the node allow, urgent ones first', async () => {
  const guests = ['a', 'b', 'c'].map((name) => guest(name))
  const urgent = migrationOf('urgent', 'c')
  urgent.spec.priority = 'system-critical'
  const job = migrationWorld(
    ...guests,
    ...guests.map(launcher),
    migrationOf('m-a', 'a'),
    migrationOf('m-b', 'b'),
    urgent,
  )
  await job.settle()
  expect(job.targets()).toHaveLength(2)
  expect(['urgent', 'm-a', 'm-b'].map(job.phase)).toEqual(['Scheduling', 'Scheduling', 'Pending'])
  await job.targetRuns('m-a')
  await job.settle()
  await job.agents('a', { completed: true, startTimestamp: 'x', targetNodeAddress: 'x' })
  await job.settle()
  expect(job.targets()).toHaveLength(3)
})

test('those that wait go in the order of their priority, then of their age', async () => {
  const order = ['system-critical', 'user-triggered', 'system-maintenance', undefined]
  const names = order.map((_, index) => `g${index}`)
  const guests = names.map((name, index) => guest(name, `node0${index}`))
  const jobs = names.toReversed().map((name) => {
    const job = migrationOf(`m-${name}`, name)
    const priority = order[names.indexOf(name)]
    return priority === undefined ? job : { ...job, spec: { ...job.spec, priority } }
  })
  const job = migrationWorld(...guests, ...guests.map(launcher), ...jobs)
  job.limit({ parallelMigrationsPerCluster: 1 })
  const ran: string[] = []
  for (let turn = 0; turn < names.length; turn++) {
    await job.settle()
    const running = names.find((name) => job.phase(`m-${name}`) === 'Scheduling') ?? ''
    ran.push(running)
    await job.targetIs(`m-${running}`, { phase: 'Failed' })
  }
  expect(ran).toEqual(names)
})

test('of two migrations of one guest that got past admission the younger fails, and no second pod is made', async () => {
  const web = guest('web')
  const first = migrationOf('first', 'web', { creationTimestamp: '2026-01-01T00:00:00Z' })
  const second = migrationOf('second', 'web', { creationTimestamp: '2026-01-01T00:00:01Z' })
  const job = migrationWorld(web, launcher(web), second, first)
  await job.settle()
  expect(job.phase('second')).toBe('Failed')
  expect(job.phase('first')).toBe('Scheduling')
  expect(job.targets()).toHaveLength(1)
})

test('an automatic migration waits after failures, a user’s does not', async () => {
  const web = guest('web')
  const stamp = [{ phase: 'Failed', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' }]
  const failed = { ...migrationOf('old', 'web'), status: { phase: 'Failed', phaseTransitionTimestamps: stamp } }
  const automatic = migrationOf('auto', 'web', { annotations: { 'kubevirt.io/evacuationMigration': 'node01' } })
  const job = migrationWorld(web, launcher(web), failed, automatic)
  job.wait(19_000)
  await job.settle()
  expect(job.phase('auto')).toBe('Pending')
  expect(job.told).toContain('VirtualMachineInstance MigrationBackoff')
  job.wait(1000)
  await job.settle()
  expect(job.phase('auto')).toBe('Scheduling')
  const byUser = migrationWorld(web, launcher(web), failed, migrationOf('move', 'web'))
  await byUser.settle()
  expect(byUser.phase('move')).toBe('Scheduling')
})

test('five finished migrations of a guest are kept; those of a guest that is gone go', async () => {
  const web = guest('web')
  const old = Array.from({ length: 7 }, (_, index) => ({
    ...migrationOf(`old-${index}`, 'web', { creationTimestamp: `2026-01-01T00:00:0${index}Z` }),
    status: { phase: 'Succeeded' },
  }))
  const job = migrationWorld(web, launcher(web), ...old)
  await job.settle()
  const names = () => job.client.objects(virtualMachineInstanceMigrations).map(({ metadata }) => metadata.name)
  expect(names()).toEqual(['old-2', 'old-3', 'old-4', 'old-5', 'old-6'])
  await job.client.delete(vmis, { namespace: 'default', name: 'web' })
  await job.settle()
  expect(names()).toEqual([])
})
