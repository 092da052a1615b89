import { expect, test } from '@jest/globals'
import type { Node, Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { planOf } from './plan.ts'
import type { Seen } from './seen.ts'
import { text } from './text.ts'

const node = (name: string, cpu = '4', more: Partial<Node> = {}): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubevirt.io/schedulable': 'true' } },
  status: { allocatable: { cpu, memory: '8Gi', pods: '20' } },
  ...more,
})

const launcher = (name: string, cpu = '1'): Pod => ({
  metadata: {
    name: `virt-launcher-${name}`,
    namespace: 'shop',
    uid: `pod-${name}`,
    labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': name, app: name },
  },
  spec: {
    nodeName: 'n1',
    nodeSelector: { 'kubevirt.io/schedulable': 'true' },
    containers: [{ name: 'compute', resources: { requests: { cpu, memory: '1Gi' }, limits: { memory: '2Gi' } } }],
  },
  status: { phase: 'Running' },
})

interface Wish {
  readonly strategy?: string
  readonly migratable?: { readonly reason: string; readonly message: string } | true
  readonly phase?: string
}

function guest(name: string, { strategy = 'LiveMigrate', migratable = true, phase = 'Running' }: Wish = {}) {
  const condition =
    migratable === true
      ? { type: 'LiveMigratable', status: 'True' }
      : { type: 'LiveMigratable', status: 'False', ...migratable }
  return {
    metadata: { name, namespace: 'shop', uid: name },
    spec: { evictionStrategy: strategy, domain: { devices: {} } },
    status: { phase, nodeName: 'n1', conditions: phase === 'Running' ? [condition] : [] },
  } as unknown as VirtualMachineInstance
}

const vm = (name: string, runStrategy: string, annotations: Record<string, string> = {}): [string, VirtualMachine] => [
  `shop/${name}`,
  { metadata: { name, namespace: 'shop', annotations }, spec: { runStrategy } } as unknown as VirtualMachine,
]

function seen(
  vmis: VirtualMachineInstance[],
  { nodes, pods, ...more }: Partial<Seen> & { nodes?: Node[]; pods?: Pod[] } = {},
) {
  return {
    node: node('n1'),
    cluster: {
      nodes: nodes ?? [node('n1'), node('n2')],
      pods: pods ?? vmis.map(({ metadata }) => launcher(metadata.name)),
      namespaces: { shop: {} },
    },
    vmis,
    vms: new Map(),
    migrations: [],
    quotas: [],
    budgets: [],
    configuration: {},
    hidden: [],
    ...more,
  } satisfies Seen
}

const steps = (given: Seen) => planOf(given).virtualMachines
const disks = { reason: 'DisksNotLiveMigratable', message: 'disk data is on one node alone' }

test.each([
  ['LiveMigrate moves', guest('a'), { action: 'migrate', nodes: ['n2'] }],
  [
    'LiveMigrate that cannot move is blocked by its own reason, with a way out',
    guest('a', { migratable: disks }),
    { action: 'blocked', ...disks, remedy: expect.stringContaining('virtctl -n shop stop a') },
  ],
  [
    'LiveMigrate that does not run yet is waited for',
    guest('a', { phase: 'Scheduled' }),
    { action: 'blocked', reason: 'NotRunningYet' },
  ],
  ['LiveMigrateIfPossible moves', guest('a', { strategy: 'LiveMigrateIfPossible' }), { action: 'migrate' }],
  [
    'LiveMigrateIfPossible that cannot move is started elsewhere',
    guest('a', { strategy: 'LiveMigrateIfPossible', migratable: disks }),
    { action: 'restart', nodes: ['n2'] },
  ],
  ['None is started elsewhere', guest('a', { strategy: 'None' }), { action: 'restart', nodes: ['n2'] }],
  ['External is left to another program', guest('a', { strategy: 'External' }), { action: 'external' }],
])('%s', (_, vmi, step) => {
  expect(steps(seen([vmi], { vms: new Map([vm('a', 'Always')]) }))).toEqual([expect.objectContaining(step)])
})

test('a guest that nobody starts again is told to stop', () => {
  const none = [guest('a', { strategy: 'None' }), guest('b', { strategy: 'None' })]
  expect(steps(seen(none, { vms: new Map([vm('a', 'Manual')]) }))).toMatchObject([
    { action: 'stop', message: expect.stringContaining('Manual') },
    { action: 'stop', message: expect.stringContaining('no VirtualMachine') },
  ])
})

test('a guest whose home is the node and required does not start elsewhere', () => {
  const home = { 'home.kubevirt-ts.io/node': 'n1', 'home.kubevirt-ts.io/policy': 'required' }
  const given = seen([guest('a', { strategy: 'None' })], { vms: new Map([vm('a', 'Always', home)]) })
  expect(steps(given)).toMatchObject([{ action: 'blocked', reason: 'HomeIsHere' }])
})

test('two guests do not count on the same room', () => {
  const given = seen([guest('a'), guest('b')], {
    nodes: [node('n1'), node('n2', '2')],
    pods: [launcher('a', '1500m'), launcher('b', '1500m')],
  })
  expect(steps(given)).toMatchObject([
    { name: 'a', action: 'migrate', nodes: ['n2'] },
    { name: 'b', action: 'blocked', reason: 'NoNodeFits', refusals: { n2: ['Insufficient cpu'] } },
  ])
})

test('nodes that refuse say why, and the node that is emptied never counts', () => {
  const tainted = node('n2', '4', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } })
  const cordoned = node('n3', '4', { spec: { unschedulable: true } })
  expect(steps(seen([guest('a')], { nodes: [node('n1'), tainted, cordoned] }))).toMatchObject([
    {
      action: 'blocked',
      reason: 'NoNodeFits',
      refusals: { n2: ['node(s) had untolerated taint(s)'], n3: ['node(s) were unschedulable'] },
    },
  ])
})

test('a guest moves only to a processor of the vendor that it has', () => {
  const vendor = { 'cpu-vendor.node.kubevirt.io/A': 'true', 'kubevirt.io/schedulable': 'true' }
  const here = node('n1', '4', { metadata: { name: 'n1', labels: vendor } })
  const given = { ...seen([guest('a')], { nodes: [here, node('n2')] }), node: here }
  expect(steps(given)).toMatchObject([{ action: 'blocked', reason: 'NoNodeFits' }])
})

test.each([
  ['requests.memory', '1500Mi', '1Gi'],
  ['limits.memory', '3Gi', '2Gi'],
  ['pods', '1', '1'],
])('a quota of %s without room for the second pod blocks a move, not a restart', (resource, hard, used) => {
  const quotas = [
    { metadata: { name: 'q', namespace: 'shop' }, status: { hard: { [resource]: hard }, used: { [resource]: used } } },
  ]
  const vmis = [guest('a'), guest('b', { strategy: 'None' })]
  expect(steps(seen(vmis, { quotas, vms: new Map([vm('b', 'Always')]) }))).toMatchObject([
    { action: 'blocked', reason: 'QuotaExceeded', remedy: 'kubectl -n shop edit resourcequota q' },
    { action: 'restart' },
  ])
})

test('quotas of other pods and namespaces do not count', () => {
  const status = { hard: { pods: '1' }, used: { pods: '1' } }
  const quotas = [
    { metadata: { name: 'q', namespace: 'other' }, status },
    { metadata: { name: 'q', namespace: 'shop' }, spec: { scopes: ['Terminating'] }, status },
  ]
  expect(steps(seen([guest('a')], { quotas }))).toMatchObject([{ action: 'migrate' }])
})

test('a disruption budget that allows nothing blocks an eviction', () => {
  const budgets = [
    {
      metadata: { name: 'b', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'a' } } },
      status: { disruptionsAllowed: 0 },
    },
  ]
  expect(steps(seen([guest('a', { strategy: 'None' })], { budgets }))).toMatchObject([
    { action: 'blocked', reason: 'DisruptionBudget' },
  ])
})

test('the screen names limits, what is blocked with its remedy, and what is not known', () => {
  const given = seen([guest('a'), guest('b', { migratable: disks })], { hidden: ['quotas'] })
  const screen = text(planOf(given))
  expect(screen).toContain('At most 2 guests leave a node at a time and 5 move in the cluster.')
  expect(screen).toContain('x disk data is on one node alone [DisksNotLiveMigratable]')
  expect(screen).toContain('You may not see quotas')
  expect(screen).toContain('1 of 2 virtual machines blocked: kubectl drain n1 would not end.')
})
