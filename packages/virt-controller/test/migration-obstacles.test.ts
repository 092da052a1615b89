import { expect, test } from '@jest/globals'
import { nodes, pods, virtualMachineInstanceMigrations, virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { guest, launcher, migrationOf, migrationWorld } from './migration-world.ts'

const web = { namespace: 'default', name: 'web' }

function moving(change: (vmi: VirtualMachineInstance) => void = () => undefined) {
  const vmi = guest('web')
  change(vmi)
  return migrationWorld(vmi, launcher(vmi), migrationOf('move', 'web'))
}

const withUtility = (vmi: VirtualMachineInstance): void => {
  vmi.spec.utilityVolumes = [{ name: 'dump', claimName: 'dump', type: 'MemoryDump' }]
}
const blocked = (job: ReturnType<typeof moving>) =>
  job.migration('move')?.status?.conditions?.find(({ type }) => type === 'migrationBlockedByUtilityVolumes')

test('a guest with utility volumes moves once they are gone', async () => {
  const job = moving(withUtility)
  await job.settle()
  expect(job.phase('move')).toBe('Pending')
  expect(blocked(job)).toMatchObject({ status: 'True', reason: 'UtilityVolumesPresent' })
  expect(job.told.filter((event) => event.endsWith('UtilityVolumeMigrationPending'))).toHaveLength(1)

  job.wait(149_000)
  await job.client.patch(virtualMachineInstances, web, { spec: { utilityVolumes: null } }, { type: 'merge' })
  await job.settle()
  expect(job.phase('move')).toBe('Scheduling')
  expect(blocked(job)).toBeUndefined()
})

test('its migration fails where they stay', async () => {
  const job = moving(withUtility)
  await job.settle()
  job.wait(150_000)
  await job.settle()
  expect(job.phase('move')).toBe('Failed')
  expect(job.targets()).toEqual([])
})

test.each<
  [what: string, limit: () => Parameters<ReturnType<typeof moving>['limit']>[0], annotation: string | undefined]
>([
  ['the cluster', () => ({ utilityVolumesTimeout: 30 }), undefined],
  ['the migration', () => ({}), '30'],
])('how long they are waited for is said by %s', async (_, limit, annotation) => {
  const job = moving(withUtility)
  job.limit(limit())
  if (annotation !== undefined) {
    const annotations = { 'kubevirt.io/migrationUtilityVolumesTimeoutSeconds': annotation }
    const reference = { namespace: 'default', name: 'move' }
    await job.client.patch(
      virtualMachineInstanceMigrations,
      reference,
      { metadata: { annotations } },
      { type: 'merge' },
    )
  }
  await job.settle()
  job.wait(29_000)
  await job.settle()
  expect(job.phase('move')).toBe('Pending')
  job.wait(1000)
  await job.settle()
  expect(job.phase('move')).toBe('Failed')
})

const noNode = 'VirtualMachineInstance NoSuitableNodesForHostModelMigration'

test.each<[what: string, told: boolean, lost: string | undefined, model: string | undefined]>([
  ['has its first processor', false, undefined, undefined],
  ['has another one', true, 'cpu-model-migration.node.kubevirt.io/Skylake', undefined],
  ['lacks a feature of it', true, 'cpu-feature.node.kubevirt.io/vmx', undefined],
  ['need not have it', false, 'cpu-model-migration.node.kubevirt.io/Skylake', 'Haswell'],
])('a guest where the other node %s is told of that: %p', async (_, told, lost, model) => {
  const job = moving((vmi) => void (model === undefined || (vmi.spec.domain.cpu = { model })))
  if (lost !== undefined) {
    await job.client.patch(nodes, { name: 'node02' }, { metadata: { labels: { [lost]: null } } }, { type: 'merge' })
  }
  await job.settle()
  expect(job.target('move')).toBeDefined()
  expect(job.told.includes(noNode)).toBe(told)
})

const onClaim = (claimName: string) => [{ name: 'data', persistentVolumeClaim: { claimName } }]

test('a guest does not move to a pod that was made for other claims', async () => {
  const job = moving((vmi) => (vmi.spec.volumes = onClaim('old')))
  await job.settle()
  const target = job.target('move')!
  await job.client.update(pods, { ...target, spec: { ...target.spec, volumes: onClaim('old') } })
  await job.client.patch(virtualMachineInstances, web, { spec: { volumes: onClaim('new') } }, { type: 'merge' })
  await job.targetRuns('move')
  await job.settle()
  expect(job.phase('move')).toBe('Failed')
  expect(job.vmi('web').status?.migrationState).toBeUndefined()
  expect(job.target('move')).toBeUndefined()
})

test('it moves to one with its claims, and only as long as it has them', async () => {
  const job = moving((vmi) => (vmi.spec.volumes = onClaim('old')))
  await job.settle()
  const target = job.target('move')!
  await job.client.update(pods, { ...target, spec: { ...target.spec, volumes: onClaim('old') } })
  await job.targetRuns('move')
  job.holdVmis()
  await job.client.patch(virtualMachineInstances, web, { spec: { volumes: onClaim('new') } }, { type: 'merge' })
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toBeUndefined()
  await job.client.patch(virtualMachineInstances, web, { spec: { volumes: onClaim('old') } }, { type: 'merge' })
  job.showVmis()
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({ migrationUid: 'uid-move' })
})

test('network plugins find on the target pod since when the guest runs in it', async () => {
  const job = moving()
  await job.settle()
  await job.targetRuns('move')
  await job.settle()
  const arrived = '2026-01-01T00:00:05Z'
  await job.agents('web', {
    targetNodeAddress: '192.0.2.2',
    startTimestamp: '2026-01-01T00:00:00Z',
    targetNodeDomainReadyTimestamp: arrived,
    completed: true,
  })
  await job.settle()
  expect(job.phase('move')).toBe('Succeeded')
  expect(job.target('move')?.metadata.annotations?.['kubevirt.io/migration-target-ready-timestamp']).toBe(arrived)
})

test('a target pod that cannot be deleted is told of', async () => {
  const job = moving()
  await job.settle()
  job.client.intercept(({ resource, verb }) => {
    if (resource === 'pods' && verb === 'delete')
      throw new ApiError({ code: 403, message: 'no' }, { request: 'DELETE' })
  })
  await job.cancel('move')
  await job.settle()
  expect(job.told).toContain('VirtualMachineInstanceMigration FailedDelete')
})
