import { describe, expect, test } from '@jest/globals'
import { report } from './report.ts'
import type { Seen } from './seen.ts'
import { age, text } from './text.ts'

const now = new Date('2026-01-01T01:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

const condition = (type: string, status: string, reason = '', message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: minutesAgo(5),
})

const vm = (spec: object = { runStrategy: 'Always' }, status: object = { printableStatus: 'Running' }) => ({
  metadata: { name: 'web', namespace: 'shop', creationTimestamp: minutesAgo(30) },
  spec,
  status,
})
const vmi = (phase: string, conditions: object[] = [], more: object = {}) => ({
  metadata: { name: 'web', uid: 'u' },
  spec: { domain: { devices: {} } },
  status: {
    phase,
    conditions,
    phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: minutesAgo(10) }],
    ...more,
  },
})
const pod = (status: object, spec: object = { nodeName: 'n1' }) => ({
  metadata: { name: 'virt-launcher-web-1', creationTimestamp: minutesAgo(10) },
  spec,
  status,
})
const runningPod = pod({ phase: 'Running', conditions: [condition('Ready', 'True')] })
const node = (
  annotations: object = { 'kubevirt.io/heartbeat': minutesAgo(1) },
  conditions = [condition('Ready', 'True')],
) => ({
  metadata: { name: 'n1', annotations, labels: { 'kubevirt.io/schedulable': 'true' } },
  status: { conditions },
})

function seen(given: object): Seen {
  const nothing = { migrations: [], claims: new Map(), warnings: [], dataVolumes: new Map(), hidden: [] }
  return { name: 'web', namespace: 'shop', now, ...nothing, ...given } as unknown as Seen
}

const pendingOnNode = pod({
  phase: 'Pending',
  containerStatuses: [{ name: 'compute', state: { waiting: { reason: 'ContainerCreating' } } }],
})
const warning = (name: string, reason: string, message: string, kind = 'Pod') => ({
  metadata: {},
  involvedObject: { kind, name },
  reason,
  message,
  firstTimestamp: minutesAgo(4),
  lastTimestamp: minutesAgo(1),
})
const mountFails = (message: string) => ({
  vm: vm(),
  vmi: vmi('Scheduling'),
  pod: pendingOnNode,
  node: node(),
  warnings: [warning('virt-launcher-web-1', 'FailedMount', `MountVolume.SetUp failed for ${message}`)],
})

const first = (given: object) => report(seen(given)).running.because[0]

const healthy = {
  vm: vm(),
  vmi: vmi('Running', [
    condition('Ready', 'True'),
    condition('LiveMigratable', 'True'),
    condition('AgentConnected', 'True'),
  ]),
  pod: runningPod,
  node: node(),
}

describe('a machine that', () => {
  test('runs well has nothing in its way', () => {
    const found = report(seen(healthy))
    expect([found.running, found.ready, found.migratable]).toEqual(Array(3).fill({ yes: true, because: [] }))
    expect(found.chain.map(({ kind }) => kind)).toEqual(['VM', 'VMI', 'Pod', 'Node', 'Domain'])
    expect(found.chain.flatMap(({ facts }) => facts)).toEqual([])
  })

  test.each<[string, object, object]>([
    [
      'is told to be off is started',
      { vm: vm({ runStrategy: 'Halted' }) },
      { reason: 'Halted', fix: 'virtctl -n shop start web' },
    ],
    ['was never started by hand', { vm: vm({ runStrategy: 'Manual' }) }, { reason: 'NotStarted' }],
    [
      'shut itself down',
      { vm: vm({ runStrategy: 'RerunOnFailure' }), vmi: vmi('Succeeded') },
      { reason: 'Finished', what: expect.stringContaining('shut itself down') },
    ],
    ['nobody works for', { vm: vm() }, { reason: 'NoInstance' }],
    [
      'crashes while it starts',
      { vm: vm({ runStrategy: 'Always' }, { startFailure: { consecutiveFailCount: 3, retryAfterTimestamp: 'T' } }) },
      { reason: 'CrashLoopBackOff', what: 'its guest ended 3 times in a row before it ran; the next try is at T' },
    ],
    [
      'waits for an import',
      { vm: vm(), dataVolumes: new Map([['root', { metadata: {}, status: { phase: 'ImportInProgress' } }]]) },
      { reason: 'Provisioning', fix: 'kubectl -n shop describe datavolume root' },
    ],
    [
      'lacks its claim',
      { vm: vm(), vmi: vmi('Pending'), pod: runningPod, claims: new Map([['data', undefined]]) },
      { reason: 'FailedPvcNotFound', what: expect.stringContaining('the claim data is not there') },
    ],
    [
      'no node has room for',
      {
        vm: vm(),
        vmi: vmi('Scheduling'),
        pod: pod(
          {
            phase: 'Pending',
            conditions: [
              condition('PodScheduled', 'False', 'Unschedulable', '0/1 nodes are available: 1 Insufficient memory.'),
            ],
          },
          {},
        ),
      },
      { reason: 'Unschedulable', fix: expect.stringContaining('Allocated resources'), since: minutesAgo(5) },
    ],
    [
      'needs KVM where there is none',
      {
        vm: vm(),
        vmi: vmi('Scheduling'),
        pod: pod(
          {
            phase: 'Pending',
            conditions: [
              condition('PodScheduled', 'False', 'Unschedulable', '1 Insufficient devices.kubevirt.io/kvm.'),
            ],
          },
          {},
        ),
      },
      { fix: expect.stringContaining('useEmulation=true') },
    ],
    [
      'can not pull its image',
      {
        vm: vm(),
        vmi: vmi('Scheduling'),
        pod: pod({
          phase: 'Pending',
          containerStatuses: [
            {
              name: 'volumeroot',
              image: 'nowhere/x',
              state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } },
            },
          ],
        }),
      },
      {
        reason: 'ErrImagePull',
        what: 'container volumeroot can not get its image nowhere/x: no such image',
        fix: 'kubectl -n shop edit vm web && virtctl -n shop restart web',
      },
    ],
    [
      'is on a node that went silent',
      { ...healthy, vmi: vmi('Scheduled'), node: node({ 'kubevirt.io/heartbeat': minutesAgo(9) }) },
      { reason: 'NoHeartbeat', since: minutesAgo(9) },
    ],
    [
      'is paused',
      { ...healthy, vmi: vmi('Running', [condition('Paused', 'True', 'PausedByUser')]) },
      { reason: 'PausedByUser', fix: 'virtctl -n shop unpause vmi web' },
    ],
    [
      'could not be synchronised',
      {
        vm: vm(),
        vmi: vmi('Scheduled', [condition('Synchronized', 'False', 'FailedX', 'libvirt says no')]),
        pod: runningPod,
        node: node(),
      },
      { reason: 'FailedX', what: 'libvirt says no' },
    ],
    [
      'needs a folder that its node does not have',
      mountFails('volume "data" : hostPath type check failed: /srv/vms is not a directory'),
      {
        reason: 'FailedMount',
        what: expect.stringContaining('node n1 has no directory /srv/vms, which volume data is on'),
        since: minutesAgo(4),
      },
    ],
    [
      'needs a secret that is not there',
      mountFails('volume "keys" : secret "hush" not found'),
      {
        what: 'the secret hush of volume keys is not there',
        fix: 'kubectl -n shop create secret generic hush --from-file=KEY=FILE',
      },
    ],
    [
      'cannot be mounted in a way that nobody foresaw',
      mountFails('volume "nfs" : mount failed: exit status 32'),
      {
        what: 'MountVolume.SetUp failed for volume "nfs" : mount failed: exit status 32',
        fix: 'kubectl -n shop describe pod virt-launcher-web-1',
      },
    ],
    [
      'waits for a claim of a class that is not there',
      {
        vm: vm(),
        vmi: vmi('Pending', [condition('Synchronized', 'False', 'PVCNotReady', 'not bound')]),
        claims: new Map([['data', { metadata: {}, status: { phase: 'Pending' } }]]),
        warnings: [
          warning(
            'data',
            'ProvisioningFailed',
            'storageclass.storage.k8s.io "gold" not found',
            'PersistentVolumeClaim',
          ),
        ],
      },
      {
        reason: 'PVCNotReady',
        what: 'the claim data is Pending: storageclass.storage.k8s.io "gold" not found',
        fix: 'kubectl get storageclass',
      },
    ],
  ])('%s says so', (_case, given, fact) => {
    expect(first(given)).toMatchObject(fact)
    expect(report(seen(given)).running.yes).toBe(false)
  })

  test('was hard to place, and now only takes its time, has nothing in its way', () => {
    const warnings = [warning('virt-launcher-web-1', 'FailedScheduling', '0/1 nodes are available')]
    const given = { vm: vm(), vmi: vmi('Scheduling'), pod: pendingOnNode, node: node(), warnings }
    expect(report(seen(given)).running).toEqual({ yes: false, because: [] })
  })

  test('hears a cause once, from whoever is nearest to it', () => {
    const message = 'Back-off pulling image "r/x": ErrImagePull: rpc error: code = NotFound desc = r/x: not found'
    const given = {
      vm: vm(),
      vmi: vmi('Scheduling', [condition('Synchronized', 'False', 'ImagePullBackOff', `container a: ${message}`)]),
      pod: pod({
        phase: 'Pending',
        containerStatuses: [{ name: 'a', image: 'r/x', state: { waiting: { reason: 'ImagePullBackOff', message } } }],
      }),
      warnings: [warning('virt-launcher-web-1', 'Failed', 'Error: ImagePullBackOff')],
      node: node(),
    }
    const what = report(seen(given)).running.because.map((fact) => fact.what)
    expect(what).toEqual(['container a can not get its image r/x: not found'])
  })

  test('can not move says why, and still runs', () => {
    const conditions = [
      condition('Ready', 'True'),
      condition('LiveMigratable', 'False', 'DisksNotLiveMigratable', 'a disk is local'),
    ]
    const found = report(seen({ ...healthy, vmi: vmi('Running', conditions) }))
    expect(found.ready.yes).toBe(true)
    expect(found.migratable).toMatchObject({
      yes: false,
      because: [{ reason: 'DisksNotLiveMigratable', what: 'a disk is local' }],
    })
  })
})

test('one screen holds verdict, chain, ages and cures', () => {
  const screen = text(
    report(seen({ vm: vm({ runStrategy: 'Halted' }, { printableStatus: 'Stopped' }), hidden: ['nodes'] })),
    now,
  )
  expect(screen.split('\n')).toEqual([
    'shop/web: not running: it is told to be off (runStrategy: Halted)',
    '',
    expect.stringMatching(/^VM +web +Stopped \(30m\)$/),
    '        x it is told to be off (runStrategy: Halted) [Halted]',
    '            virtctl -n shop start web',
    '',
    'You may not see nodes; an administrator may see more.',
  ])
})

test('what only takes its time is told as such', () => {
  const screen = text(report(seen({ vm: vm(), vmi: vmi('Scheduling'), pod: runningPod })), now)
  expect(screen).toMatch(/^shop\/web: not running yet: nothing stands in the way, the VMI is Scheduling$/m)
})

test.each([
  [30, '30s'],
  [119, '119s'],
  [600, '10m'],
  [7200, '2h'],
  [200_000, '2d'],
])('%d seconds are %s', (seconds, expected) => {
  expect(age(new Date(now.getTime() - seconds * 1000).toISOString(), now)).toBe(expected)
})

test('a volume that cannot be mounted is told once, also where the guest repeats what the kubelet says', () => {
  const given = mountFails('volume "keys" : secret "hush" not found')
  const repeated = [
    condition('Synchronized', 'False', 'FailedMount', 'pod virt-launcher-web-1 cannot start on node n1'),
  ]
  const { because } = report(seen({ ...given, vmi: vmi('Scheduling', repeated) })).running
  expect(because.map(({ reason }) => reason)).toEqual(['FailedMount'])
})
