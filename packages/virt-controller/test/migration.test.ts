import { expect, test } from '@jest/globals'
import { pods } from '@kubevirt-ts/api'
import { digest, guest, launcher, migrationOf, migrationWorld } from './migration-world.ts'

test('a migration goes from its target pod over the hand-over to its success', async () => {
  const web = guest('web')
  const job = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  expect(job.problems).toEqual([])
  expect(job.phase('move')).toBe('Scheduling')
  expect(job.migration('move')?.metadata).toMatchObject({
    labels: { 'kubevirt.io/vmi-name': 'web' },
    finalizers: ['kubevirt.io/migrationJobFinalize'],
  })
  const pod = job.target('move')
  expect(pod?.spec).toMatchObject({
    containers: [{ image: 'registry.example/virt-launcher:v1' }, { image: `registry.example/disk@${digest}` }],
    nodeSelector: {
      'kubevirt.io/schedulable': 'true',
      'cpu-vendor.node.kubevirt.io/Intel': 'true',
      'cpu-model-migration.node.kubevirt.io/Skylake': 'true',
      'cpu-feature.node.kubevirt.io/vmx': 'true',
    },
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { 'kubevirt.io/created-by': 'uid-web' } } },
        ],
      },
    },
  })
  expect(pod?.metadata.annotations).toMatchObject({ 'kubevirt.io/migrationJobName': 'move' })

  await job.targetRuns('move')
  await job.settle()
  expect(job.phase('move')).toBe('PreparingTarget')
  expect(job.vmi('web').metadata.labels).toMatchObject({ 'kubevirt.io/migrationTargetNodeName': 'node02' })
  expect(job.vmi('web').status?.migrationState).toMatchObject({
    migrationUid: 'uid-move',
    sourceNode: 'node01',
    targetNode: 'node02',
    sourcePod: 'virt-launcher-web-first',
    targetPod: pod?.metadata.name,
    migrationConfiguration: { completionTimeoutPerGiB: 150 },
  })

  await job.agents('web', { targetNodeAddress: '192.0.2.2' })
  await job.settle()
  expect(job.phase('move')).toBe('TargetReady')
  await job.agents('web', { startTimestamp: '2026-01-01T00:00:00Z' })
  await job.settle()
  expect(job.phase('move')).toBe('Running')
  await job.agents('web', { completed: true, endTimestamp: '2026-01-01T00:00:05Z' })
  await job.settle()
  expect(job.phase('move')).toBe('Succeeded')
  expect(job.migration('move')?.status?.migrationState).toMatchObject({ completed: true })
  expect(job.migration('move')?.metadata.finalizers).toEqual([])
  expect(job.migration('move')?.status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
    'Pending',
    'Scheduling',
    'Scheduled',
    'PreparingTarget',
    'TargetReady',
    'Running',
    'Succeeded',
  ])
  expect(job.target('move')).toBeDefined()
  expect(job.told.map((event) => event.split(' ')[1])).toEqual([
    'SuccessfulCreate',
    'SuccessfulHandOver',
    'SuccessfulMigration',
  ])
})

test('a target pod that ends fails the migration, the agents are told, and the guest stays where it is', async () => {
  const web = guest('web')
  const job = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  await job.settle()
  await job.targetIs('move', { phase: 'Failed' })
  await job.settle()
  expect(job.phase('move')).toBe('Failed')
  expect(job.vmi('web').status?.migrationState).toMatchObject({ failed: true, completed: true })
  expect(job.vmi('web').status).toMatchObject({ phase: 'Running', nodeName: 'node01' })
  expect(job.targets()).toEqual([])
})

test('deleted before its hand-over a migration takes its target along; after it the agents are asked to stop', async () => {
  const web = guest('web')
  const early = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await early.settle()
  await early.cancel('move')
  await early.settle()
  expect(early.migration('move')).toBeUndefined()
  expect(early.targets()).toEqual([])

  const late = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await late.settle()
  await late.targetRuns('move')
  await late.settle()
  await late.agents('web', { targetNodeAddress: '192.0.2.2' })
  await late.cancel('move')
  await late.settle()
  expect(late.vmi('web').status?.migrationState?.abortRequested).toBe(true)
  expect(late.migration('move')?.status?.conditions).toMatchObject([
    { type: 'migrationAbortRequested', status: 'True' },
  ])
  await late.agents('web', { failed: true, completed: true, abortStatus: 'Succeeded' })
  await late.settle()
  expect(late.migration('move')).toBeUndefined()
})

test('cancelled at the moment of its hand-over, before the cache shows that, a migration is ended for the agents, too', async () => {
  const web = guest('web')
  const job = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  job.holdVmis()
  await job.settle()
  await job.cancel('move')
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({ migrationUid: 'uid-move' })
  expect(job.vmi('web').status?.migrationState?.failed).toBeUndefined()

  job.showVmis()
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({
    failed: true,
    completed: true,
    abortStatus: 'Succeeded',
  })
  expect(job.migration('move')).toBeUndefined()
})

test('a guest that comes back to a node leaves from the pod that it lives in, not from the one that it had there before', async () => {
  const web = guest('web')
  const earlier = launcher(web)
  const ended = { ...earlier, metadata: { ...earlier.metadata, name: 'earlier' }, status: { phase: 'Succeeded' } }
  const job = migrationWorld(web, ended, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  await job.settle()

  expect(job.vmi('web').status?.migrationState).toMatchObject({ sourcePod: 'virt-launcher-web-first' })
})

test('the target is made ready as soon as its pod has a node, before all of the pod is', async () => {
  const web = guest('web')
  const job = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toBeUndefined()
  const at = { namespace: 'default', name: job.target('move')!.metadata.name }
  await job.client.patch(pods, at, { spec: { nodeName: 'node02' } }, { type: 'merge' })
  await job.settle()

  expect(job.phase('move')).toBe('Scheduling')
  expect(job.vmi('web').status?.migrationState).toMatchObject({ migrationUid: 'uid-move', targetNode: 'node02' })
})

test.each([
  ['Unschedulable', 299_000, 'Scheduling'],
  ['Unschedulable', 300_000, 'Failed'],
  ['Other', 899_000, 'Scheduling'],
  ['Other', 900_000, 'Failed'],
])('a target pod that waits as %s for %i ms leaves the migration in %s', async (reason, age, phase) => {
  const web = guest('web')
  const job = migrationWorld(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  const conditions = [{ type: 'PodScheduled', status: 'False', reason }]
  await job.targetIs('move', { phase: 'Pending', conditions })
  const created = Date.parse(job.target('move')?.metadata.creationTimestamp ?? '')
  job.wait(created - Date.parse('2026-01-01T00:00:00Z') + age)
  await job.settle()
  expect(job.phase('move')).toBe(phase)
})

test('the policy with the most labels of the guest decides how it is moved', async () => {
  const web = guest('web')
  web.metadata.labels = { app: 'web', tier: 'a' }
  const policy = (name: string, selector: Record<string, string>, maxDowntimeMs: number) => ({
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name },
    spec: { selectors: { virtualMachineInstanceSelector: selector }, maxDowntimeMs },
  })
  const job = migrationWorld(
    web,
    launcher(web),
    migrationOf('move', 'web'),
    policy('one', { app: 'web' }, 100),
    policy('two', { app: 'web', tier: 'a' }, 200),
    policy('other', { app: 'db' }, 300),
  )
  await job.settle()
  await job.targetRuns('move')
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({
    migrationPolicyName: 'two',
    migrationConfiguration: { maxDowntimeMs: 200, progressTimeout: 150 },
  })
})

test('plugged in volumes are held for the target before the nodes take over', async () => {
  const web = guest('web')
  web.spec.volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data', hotpluggable: true } }]
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: {},
    status: { phase: 'Bound' },
  }
  const job = migrationWorld(web, launcher(web), claim, migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  await job.settle()

  expect(job.phase('move')).toBe('Pending')
  const held = job.client.objects(pods).find(({ metadata }) => metadata.labels?.['kubevirt.io'] === 'hotplug-disk')
  expect(held?.metadata.ownerReferences).toMatchObject([{ name: job.target('move')?.metadata.name }])
  expect(held?.spec.volumes?.at(-1)).toEqual({ name: 'data', persistentVolumeClaim: { claimName: 'data' } })

  const status = { phase: 'Running', containerStatuses: [{ name: 'hotplug-disk', ready: true }] }
  const reference = { namespace: 'default', name: held?.metadata.name ?? '' }
  await job.client.patch(pods, reference, { status }, { type: 'merge', subresource: 'status' })
  await job.settle()
  expect(job.phase('move')).toBe('PreparingTarget')
  expect(job.vmi('web').status?.migrationState?.targetAttachmentPodUID).toBe(held?.metadata.uid)
})

test.each([
  ['sent', { sendTo: { migrationID: 'x', connectURL: 'https://other.example' } }],
  ['received', { receive: { migrationID: 'x' } }],
])('a guest that is to be %s between clusters stays where it is, and the request says so', async (_, how) => {
  const web = guest('web')
  const move = migrationOf('move', 'web')
  Object.assign(move.spec, how)
  const job = migrationWorld(web, launcher(web), move)

  await job.settle()

  expect(job.phase('move')).toBe('Failed')
  expect(job.targets()).toEqual([])
  expect(job.told.join()).toContain('FailedMigration')
  expect(job.migration('move')?.status?.conditions).toEqual([
    expect.objectContaining({
      type: 'decentralizedMigrationBlocked',
      status: 'True',
      reason: 'NoSynchronizationController',
      message: expect.stringContaining('ask without sendTo and receive'),
    }),
  ])
})
