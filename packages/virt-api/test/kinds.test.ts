import { describe, expect, test } from '@jest/globals'
import type { AdmissionRequest, KubeObject } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { admitters } from '../src/webhooks/routes.ts'

/** Asks a webhook about an object; `more` is what else the review says. */
async function admission(
  path: string,
  object: object,
  more: object = {},
  objects: readonly object[] = [],
  gates: string[] = [],
) {
  const configuration = mergeConfiguration({ developerConfiguration: { featureGates: gates } })
  const context = {
    settings: { configuration, isEnabled: (gate: FeatureGateName) => isGateEnabled(configuration, gate) },
    client: fakeClient(objects as KubeObject[]),
    chance: { now: () => '2026-01-01T00:00:00Z', newId: () => 'abcde123-bbbb-4ccc-8ddd-eeeeeeeeeeee' },
    namespace: 'kubevirt',
  }
  const given = { metadata: { name: 'x', namespace: 'n' }, ...object }
  const request = { uid: 'u', operation: 'CREATE', namespace: 'n', name: 'x', userInfo: {}, object: given, ...more }
  return admitters[path]!(request as unknown as AdmissionRequest, context)
}

const fields = async (...args: Parameters<typeof admission>) =>
  ((await admission(...args)).causes ?? []).map(({ field }) => field)

const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' }
const template = {
  metadata: { labels: { app: 'x' } },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
}
const guestTemplate = (spec: object = {}) => ({
  metadata: { labels: { app: 'x' } },
  spec: { domain: { devices: {}, memory: { guest: '128Mi' } }, ...spec },
})
const pool = (spec: object = {}) => ({
  spec: { selector: { matchLabels: { app: 'x' } }, virtualMachineTemplate: template, ...spec },
})

test.each([
  ['a pool', '/virtualmachinepool-validate', pool(), []],
  ['a pool without template', '/virtualmachinepool-validate', { spec: {} }, ['spec.virtualMachineTemplate']],
  [
    'a pool whose template is no VM',
    '/virtualmachinepool-validate',
    pool({ virtualMachineTemplate: { ...template, spec: { ...template.spec, runStrategy: 'Never' } } }),
    ['spec.virtualMachineTemplate.spec.runStrategy'],
  ],
  [
    'a pool that finds not its own',
    '/virtualmachinepool-validate',
    pool({ selector: { matchLabels: { app: 'y' } } }),
    ['spec.selector'],
  ],
  ['a pool with all away', '/virtualmachinepool-validate', pool({ maxUnavailable: '101%' }), ['spec.maxUnavailable']],
  ['a pool with none away', '/virtualmachinepool-validate', pool({ maxUnavailable: 0 }), ['spec.maxUnavailable']],
  [
    'a pool with two strategies',
    '/virtualmachinepool-validate',
    pool({ updateStrategy: { proactive: {}, unmanaged: {} } }),
    ['spec.updateStrategy'],
  ],
  [
    'a replica set',
    '/virtualmachinereplicaset-validate',
    { spec: { selector: { matchLabels: { app: 'x' } }, template: guestTemplate() } },
    [],
  ],
  [
    'a replica set of broken guests that it would not find',
    '/virtualmachinereplicaset-validate',
    { spec: { selector: { matchLabels: { app: 'y' } }, template: guestTemplate({ evictionStrategy: 'Never' }) } },
    ['spec.template.spec.evictionStrategy', 'spec.selector'],
  ],
  ['a plugin', '/plugin-validate', { spec: { domainHooks: [{ cel: { expression: 'domain' } }] } }, []],
  [
    'a plugin with both kinds of hook in one, and moments that are none',
    '/plugin-validate',
    {
      spec: {
        failureStrategy: 'Retry',
        domainHooks: [{ cel: { expression: ' ' }, sidecar: { socketPath: 'a.sock' }, timeout: '0s' }],
        nodeHooks: [{ socket: '/run/../etc', permittedHooks: ['AtNoon'] }],
      },
    },
    [
      'spec.failureStrategy',
      'spec.domainHooks[0]',
      'spec.domainHooks[0].cel.expression',
      'spec.domainHooks[0].sidecar.socketPath',
      'spec.domainHooks[0].timeout',
      'spec.nodeHooks[0].socket',
      'spec.nodeHooks[0].permittedHooks',
    ],
  ],
  ['a preset without domain', '/vmipreset-validate', { spec: { selector: {} } }, ['spec.domain']],
  [
    'a policy below nothing',
    '/migration-policy-validate-create',
    { spec: { completionTimeoutPerGiB: -1, bandwidthPerMigration: '-1Mi' } },
    ['spec.completionTimeoutPerGiB', 'spec.bandwidthPerMigration'],
  ],
  [
    'a policy with an option that is off',
    '/migration-policy-validate-create',
    { spec: { experimental: { downtimeTuning: {} } } },
    ['spec.experimental.downtimeTuning'],
  ],
  ['a snapshot', '/virtualmachinesnapshots-validate', { spec: { source: vm } }, []],
  [
    'a snapshot of a pod',
    '/virtualmachinesnapshots-validate',
    { spec: { source: { ...vm, kind: 'Pod' } } },
    ['spec.source.kind'],
  ],
  [
    'a snapshot without group',
    '/virtualmachinesnapshots-validate',
    { spec: { source: { kind: vm.kind, name: 'a' } } },
    ['spec.source.apiGroup'],
  ],
  [
    'an export of a claim',
    '/virtualmachineexports-validate',
    { spec: { source: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'c' } } },
    [],
  ],
  [
    'an export of a backup',
    '/virtualmachineexports-validate',
    { spec: { source: { apiGroup: 'backup.kubevirt.io', kind: 'VirtualMachineBackup', name: 'b' } } },
    [],
  ],
  [
    'a restore beyond the spec',
    '/virtualmachinerestores-validate',
    { spec: { target: vm, virtualMachineSnapshotName: 's', patches: ['{"op":"add","path":"/metadata/x"}', 'x'] } },
    ['spec.patches[0]', 'spec.patches[1]'],
  ],
  [
    'a restore with an empty override',
    '/virtualmachinerestores-validate',
    { spec: { target: vm, virtualMachineSnapshotName: 's', volumeRestoreOverrides: [{}] } },
    ['spec.volumeRestoreOverrides[0].volumeName', 'spec.volumeRestoreOverrides[0]'],
  ],
  [
    'an instance type',
    '/virtualmachineinstancetypes-validate',
    { spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } } },
    [],
  ],
  [
    'an instance type that shares huge pages',
    '/virtualmachineclusterinstancetypes-validate',
    { spec: { cpu: { guest: 1 }, memory: { guest: '1Gi', overcommitPercent: 10, hugepages: {} } } },
    ['spec.memory.overcommitPercent'],
  ],
  [
    'a preference of an unknown topology',
    '/virtualmachinepreferences-validate',
    { spec: { cpu: { preferredCPUTopology: 'preferChaos' } } },
    ['spec.cpu.preferredCPUTopology'],
  ],
  [
    'a preference of three threads',
    '/virtualmachineclusterpreferences-validate',
    { spec: { cpu: { spreadOptions: { across: 'CoresThreads', ratio: 3 } } } },
    ['spec.cpu.spreadOptions.ratio'],
  ],
  ['a clone', '/vm-clone-validate-create', { spec: { source: vm, labelFilters: ['*', '!some/*'] } }, []],
  ['a clone onto itself', '/vm-clone-validate-create', { spec: { source: vm, target: vm } }, ['spec.target.name']],
  [
    'a clone with odd filters, addresses and patches',
    '/vm-clone-validate-create',
    { spec: { source: vm, labelFilters: ['a!', '*a'], newMacAddresses: { eth0: 'zz' }, patches: ['{}'] } },
    ['spec.labelFilters[0]', 'spec.labelFilters[1]', 'spec.newMacAddresses.eth0', 'spec.patches[0]'],
  ],
  [
    'a KubeVirt with ciphers for TLS 1.3',
    '/kubevirt-validate-update',
    { spec: { configuration: { tlsConfiguration: { ciphers: ['x'] } } } },
    ['spec.configuration.tlsConfiguration.ciphers'],
  ],
  [
    'a KubeVirt with an unknown update method',
    '/kubevirt-validate-create',
    { spec: { workloadUpdateStrategy: { workloadUpdateMethods: ['Hope'] } } },
    ['spec.workloadUpdateStrategy.workloadUpdateMethods[0]'],
  ],
])('%s is answered with its fields', async (_, path, object, expected) => {
  expect(await fields(path, object, {}, [], ['Plugins'])).toEqual(expected)
})

test('a VM whose instance type is not there yet is admitted, with a word about it', async () => {
  const vmOf = (spec: object) => ({ spec: { ...template.spec, ...spec } })
  const named = vmOf({ instancetype: { name: 'big' }, running: true, runStrategy: undefined })
  expect(await admission('/virtualmachines-validate', named)).toEqual({
    causes: [],
    warnings: [
      expect.stringMatching(/running is deprecated/),
      expect.stringMatching(/there is no instancetype big yet/),
    ],
  })
})

test('specs of requests are fixed; what is being deleted may change', async () => {
  const old = { oldObject: { metadata: {}, spec: { source: { ...vm, name: 'b' } } }, operation: 'UPDATE' }
  expect(await fields('/virtualmachinesnapshots-validate', { spec: { source: vm } }, old)).toEqual(['spec'])
  const leaving = { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { source: vm } }
  expect(await fields('/virtualmachinesnapshots-validate', leaving, old)).toEqual([])
})

test('a kind that is switched off is refused in the words that clients know', async () => {
  const object = { spec: { source: vm, pvcName: 'c' } }
  expect((await admission('/virtualmachinebackups-validate', object)).denied).toMatchObject({ code: 400 })
  expect(
    (await admission('/virtualmachinebackups-validate', object, {}, [], ['IncrementalBackup'])).denied,
  ).toBeUndefined()
})

test('a VM is restored by one restore at a time', async () => {
  const spec = { target: vm, virtualMachineSnapshotName: 's' }
  const other = {
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineRestore',
    metadata: { name: 'r', namespace: 'n' },
    spec,
  }
  expect(await fields('/virtualmachinerestores-validate', { spec }, {}, [other])).toEqual(['spec.target'])
  const done = { ...other, status: { complete: true } }
  expect(await fields('/virtualmachinerestores-validate', { spec }, {}, [done])).toEqual([])
})

test('there is one KubeVirt, and one that protects its guests stays', async () => {
  const kubevirt = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'k', namespace: 'kubevirt' },
    spec: {},
  }
  expect((await admission('/kubevirt-validate-create', { spec: {} }, {}, [kubevirt])).denied?.code).toBe(400)
  expect((await admission('/kubevirt-validate-create', { spec: {} })).denied).toBeUndefined()
  const oldObject = { ...kubevirt, spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } }
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  const remove = (objects: object[]) =>
    admission('/kubevirt-validate-delete', {}, { oldObject, operation: 'DELETE' }, objects)
  expect((await remove([guest])).denied?.message).toMatch(/^Rejecting the uninstall request/)
  expect((await remove([])).denied).toBeUndefined()
})

test('KubeVirt itself changes a guest, but not how far it may grow', async () => {
  const guest = (sockets: number, maxSockets: number) => ({
    spec: { domain: { devices: {}, cpu: { sockets, maxSockets } } },
  })
  const userInfo = { username: 'system:serviceaccount:kubevirt:kubevirt-controller' }
  const more = { operation: 'UPDATE', userInfo, oldObject: { metadata: { name: 'x' }, ...guest(1, 4) } }
  expect(await fields('/virtualmachineinstances-validate-update', guest(2, 4), more)).toEqual([])
  expect(await fields('/virtualmachineinstances-validate-update', guest(2, 8), more)).toEqual([
    'spec.domain.cpu.maxSockets',
  ])
})

test('a clone gets a target that is named after its source', async () => {
  expect((await admission('/vm-clone-mutate-create', { spec: { source: vm } })).patch).toEqual([
    { op: 'add', path: '/spec/target', value: { ...vm, name: 'clone-a-abcde' } },
  ])
})

test.each([
  [
    'disks during a snapshot',
    { snapshotInProgress: 's' },
    { template: { spec: { domain: { devices: {} }, volumes: [] } } },
    /disks or volumes until snapshot "s"/,
  ],
  [
    'the run state during a snapshot',
    { snapshotInProgress: 's' },
    { runStrategy: 'Always' },
    /running state until snapshot "s"/,
  ],
  ['a start during a restore', { restoreInProgress: 'r' }, { runStrategy: 'Always' }, /runStrategy until restore "r"/],
])('%s are not changed', async (_, status, change, message) => {
  const oldObject = { metadata: { name: 'x' }, spec: template.spec, status }
  const object = { spec: { ...template.spec, ...change }, status }
  const { causes } = await admission('/virtualmachines-validate', object, { oldObject, operation: 'UPDATE' })
  expect(causes).toMatchObject([{ field: 'spec', message: expect.stringMatching(message) }])
})

test('requests for volumes in a status must be doable', async () => {
  const add = { addVolumeOptions: { name: 'v', disk: { name: 'v' }, volumeSource: { dataVolume: { name: 'd' } } } }
  const ask = (volumeRequests: object[], objects: object[] = []) =>
    admission('/status-validate', { spec: template.spec, status: { volumeRequests } }, { operation: 'UPDATE' }, objects)
  expect((await ask([add])).causes).toEqual([])
  expect((await ask([{ ...add, removeVolumeOptions: { name: 'v' } }])).causes).toMatchObject([
    { reason: 'FieldValueInvalid' },
  ])
  expect((await ask([add, add])).causes).toMatchObject([{ reason: 'FieldValueDuplicate' }])
  const moving = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'x', namespace: 'n' },
    status: { migrationState: {} },
  }
  expect((await ask([add], [moving])).causes).toMatchObject([{ reason: 'FieldValueNotSupported' }])
})

test('a pod that holds plugged in volumes stays while its guest is there', async () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'x',
      namespace: 'n',
      labels: { 'kubevirt.io': 'hotplug-disk' },
      ownerReferences: [{ kind: 'Pod', name: 'l', uid: '1' }],
    },
  }
  const launcher = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'l',
      namespace: 'n',
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: { 'kubevirt.io/domain': 'a' },
    },
  }
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  expect((await admission('/pod-eviction-validate', {}, {}, [pod, launcher, guest])).denied).toEqual({
    code: 429,
    message: 'cannot evict hotplug pod: x associated with running vmi: a in namespace n',
  })
  expect((await admission('/pod-eviction-validate', {}, {}, [pod, launcher])).denied).toBeUndefined()
})

describe('migrations', () => {
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  const create = '/migration-validate-create'

  test('only virt-controller says which goes first', async () => {
    const object = { spec: { vmiName: 'a', priority: 'system-critical' } }
    const by = (username: string) => fields(create, object, { userInfo: { username } }, [guest])
    expect(await by('alice')).toEqual(['spec.migrationPriority'])
    expect(await by('system:serviceaccount:kubevirt:kubevirt-controller')).toEqual([])
  })

  test('both ends of one between clusters have the same name for it', async () => {
    const spec = { vmiName: 'a', sendTo: { migrationID: 'x', connectURL: 'u' }, receive: { migrationID: 'y' } }
    expect(await fields(create, { spec }, {}, [guest])).toEqual(['spec.sendTo.migrationID'])
  })

  test('one on its way keeps the label that it is found by', async () => {
    const labels = { 'kubevirt.io/vmi-name': 'a' }
    const oldObject = { metadata: { name: 'x', labels }, spec: { vmiName: 'a' }, status: { phase: 'Running' } }
    const update = (old: object) =>
      fields('/migration-validate-update', { spec: { vmiName: 'a' } }, { oldObject: old, operation: 'UPDATE' })
    expect(await update(oldObject)).toEqual(['metadata.labels'])
    expect(await update({ ...oldObject, status: { phase: 'Failed' } })).toEqual([])
  })
})

test('a plugin needs its feature gate', async () => {
  expect((await admission('/plugin-validate', { spec: {} })).denied).toEqual({
    code: 400,
    message: expect.stringContaining('enable Plugins'),
  })
})

describe('virt-handler writes to guests of its node', () => {
  const guest = (status: object) => ({ metadata: { name: 'a' }, spec: { domain: { devices: {} } }, status })
  const here = guest({ nodeName: 'here', migrationState: { targetNode: 'there' } })
  const by = (node?: string) => ({
    username: 'system:serviceaccount:kubevirt:kubevirt-handler',
    ...(node && { extra: { 'authentication.kubernetes.io/node-name': [node] } }),
  })
  const update = (object: object, userInfo: object) =>
    admission('/virtualmachineinstances-validate-update', object, { oldObject: here, operation: 'UPDATE', userInfo })

  test.each(['here', 'there'])('%s may', async (node) => {
    expect((await update(here, by(node))).denied).toBeUndefined()
  })

  test.each([
    ['another node', here, 'elsewhere', 'owns; this one is on here, not on elsewhere'],
    ['nobody knows which', here, undefined, 'must be bound to a node'],
    [
      'the source chooses the target',
      guest({ nodeName: 'here', migrationState: { targetNode: 'elsewhere' } }),
      'here',
      'not allowed to set the target node',
    ],
  ])('%s may not', async (_case, object, node, message) => {
    expect((await update(object, by(node))).denied).toEqual({ code: 403, message: expect.stringContaining(message) })
  })
})
