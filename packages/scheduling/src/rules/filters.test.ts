import { describe, expect, test } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import {
  interPodAffinity,
  nodeAffinity,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  nodeVolumeLimits,
  podInfoOf,
  podTopologySpread,
  snapshotOf,
  taintToleration,
  volumeBinding,
  volumeRestrictions,
  volumeZone,
  type FilterRule,
  type SchedulingVolumeObject,
  type SnapshotObjects,
} from '../index.ts'

function pod(name: string, spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod {
  return { metadata: { name, namespace: 'a', uid: name, labels }, spec: { containers: [], ...spec } }
}

function asking(name: string, requests: Record<string, string>, spec: Partial<Pod['spec']> = {}): Pod {
  return pod(name, { containers: [{ name: 'c', resources: { requests } }], ...spec })
}

function node(name: string, more: Partial<Node> & { labels?: Record<string, string> } = {}): Node {
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '10Gi', 'example.com/gpu': '2' }
  const { labels, ...rest } = more
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: { allocatable },
    ...rest,
  }
}

/** The verdict on each node in words: `ok`, or the reasons; a refusal of the pod itself stands alone. */
function ask<S>(rule: FilterRule<S>, wanted: Pod, objects: SnapshotObjects): unknown {
  const snapshot = snapshotOf(objects)
  const { verdict, state } = rule.prepare(podInfoOf(wanted), snapshot)
  if (verdict.code === 'Skip') return 'skip'
  if (verdict.code !== 'Success') return `${verdict.code}: ${verdict.reasons.join(', ')}`
  return Object.fromEntries(
    snapshot.nodes.map((each) => {
      const { code, reasons } = rule.filter(state!, each)
      return [each.name, code === 'Success' ? 'ok' : `${code}: ${reasons.join(', ')}`]
    }),
  )
}

const nowhere = 'UnschedulableAndUnresolvable'

test('a cordoned node only takes pods that tolerate it', () => {
  const nodes = [node('n1', { spec: { unschedulable: true } }), node('n2')]

  expect(ask(nodeUnschedulable, pod('p'), { nodes })).toEqual({
    n1: `${nowhere}: node(s) were unschedulable`,
    n2: 'ok',
  })
  const tolerations = [{ operator: 'Exists' as const }]
  expect(ask(nodeUnschedulable, pod('p', { tolerations }), { nodes })).toEqual({ n1: 'ok', n2: 'ok' })
})

test('a pod that names its node fits nowhere else', () => {
  expect(ask(nodeName, pod('p', { nodeName: 'n2' }), { nodes: [node('n1'), node('n2')] })).toEqual({
    n1: `${nowhere}: node(s) didn't match the requested node name`,
    n2: 'ok',
  })
})

test('taints that exclude must be tolerated, by key, value and effect', () => {
  const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
  const nodes = [
    node('n1', { spec: { taints: [taint] } }),
    node('n2', { spec: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } }),
  ]
  const refused = `${nowhere}: node(s) had untolerated taint(s)`

  expect(ask(taintToleration, pod('p'), { nodes })).toEqual({ n1: refused, n2: 'ok' })
  const wrong = pod('p', { tolerations: [{ key: 'gpu', value: 'no' }] })
  expect(ask(taintToleration, wrong, { nodes })).toEqual({ n1: refused, n2: 'ok' })
  const right = pod('p', { tolerations: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })
  expect(ask(taintToleration, right, { nodes })).toEqual({ n1: 'ok', n2: 'ok' })
})

describe('node affinity', () => {
  const nodes = [
    node('n1', { labels: { disk: 'ssd', size: '5' } }),
    node('n2', { labels: { disk: 'hdd' } }),
    node('n3'),
  ]
  const required = (...matchExpressions: object[]) =>
    pod('p', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
        },
      },
    } as Partial<Pod['spec']>)
  const fitting = (wanted: Pod) =>
    Object.entries(ask(nodeAffinity(), wanted, { nodes }) as Record<string, string>)
      .filter(([, word]) => word === 'ok')
      .map(([name]) => name)

  test.each([
    [{ key: 'disk', operator: 'In', values: ['ssd'] }, ['n1']],
    [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }, ['n2', 'n3']],
    [{ key: 'disk', operator: 'Exists' }, ['n1', 'n2']],
    [{ key: 'disk', operator: 'DoesNotExist' }, ['n3']],
    [{ key: 'size', operator: 'Gt', values: ['4'] }, ['n1']],
    [{ key: 'size', operator: 'Lt', values: ['5'] }, []],
    [{ key: 'disk', operator: 'Gt', values: ['1'] }, []],
  ])('%j fits %j', (requirement, names) => {
    expect(fitting(required(requirement))).toEqual(names)
  })

  test('a pod without wishes is not asked about', () => {
    expect(ask(nodeAffinity(), pod('p'), { nodes })).toBe('skip')
  })

  test('terms that all name nodes leave only those to look at', () => {
    const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: ['n2'] }]
    const nodeSelectorTerms = [{ matchFields }]
    const wanted = pod('p', {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    })

    expect(nodeAffinity().prepare(podInfoOf(wanted), snapshotOf({ nodes })).nodeNames).toEqual(new Set(['n2']))
  })

  test('an affinity of the scheduler itself is enforced beside the pod', () => {
    const rule = nodeAffinity({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
      },
    })
    expect(ask(rule, pod('p'), { nodes })).toMatchObject({
      n1: 'ok',
      n3: `${nowhere}: node(s) didn't match scheduler-enforced node affinity`,
    })
  })
})

test('a host port is taken per protocol, and 0.0.0.0 conflicts with every address', () => {
  const ports = (hostIP: string, protocol = 'TCP') => ({
    containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80, hostIP, protocol }] }],
  })
  const pods = [
    pod('x', { ...ports('127.0.0.1'), nodeName: 'n1' }),
    pod('y', { ...ports('0.0.0.0', 'UDP'), nodeName: 'n2' }),
  ]
  const objects = { nodes: [node('n1'), node('n2')], pods }
  const refused = "Unschedulable: node(s) didn't have free ports for the requested pod ports"

  expect(ask(nodePorts, pod('p', ports('')), objects)).toEqual({ n1: refused, n2: 'ok' })
  expect(ask(nodePorts, pod('p', ports('10.0.0.1')), objects)).toEqual({ n1: 'ok', n2: 'ok' })
  expect(ask(nodePorts, pod('p'), objects)).toBe('skip')
})

describe('room for what is requested', () => {
  const nodes = [node('n1')]

  test('each shortage is told; one that no eviction heals is hopeless', () => {
    const pods = [asking('x', { cpu: '3', memory: '1Gi' }, { nodeName: 'n1' })]
    expect(ask(nodeResourcesFit(), asking('p', { cpu: '2' }), { nodes, pods })).toEqual({
      n1: 'Unschedulable: Insufficient cpu',
    })
    const large = asking('p', { cpu: '2', memory: '9Gi', 'example.com/gpu': '3' })
    expect(ask(nodeResourcesFit(), large, { nodes, pods })).toEqual({
      n1: `${nowhere}: Insufficient cpu, Insufficient memory, Insufficient example.com/gpu`,
    })
  })

  test('the number of pods is limited', () => {
    const full = [node('n1', { status: { allocatable: { pods: '1' } } })]
    const pods = [pod('x', { nodeName: 'n1' })]
    expect(ask(nodeResourcesFit(), pod('p'), { nodes: full, pods })).toEqual({ n1: 'Unschedulable: Too many pods' })
  })

  test('the largest init container counts, with the sidecars started before it; overhead is added', () => {
    const requests = (cpu: string) => ({ resources: { requests: { cpu } } })
    const wanted = pod('p', {
      initContainers: [
        { name: 's', restartPolicy: 'Always', ...requests('500m') },
        { name: 'i', ...requests('2') },
      ],
      containers: [{ name: 'c', ...requests('1') }],
      overhead: { cpu: '250m' },
    })
    expect(podInfoOf(wanted).requests.milliCpu).toBe(2750)
  })

  test('ended pods take nothing', () => {
    const pods = [{ ...asking('x', { cpu: '4' }, { nodeName: 'n1' }), status: { phase: 'Succeeded' } }]
    expect(ask(nodeResourcesFit(), asking('p', { cpu: '4' }), { nodes, pods })).toEqual({ n1: 'ok' })
  })

  test('resources that an extender manages are left to it', () => {
    const rule = nodeResourcesFit({ ignoredResourceGroups: ['example.com'] })
    expect(ask(rule, asking('p', { 'example.com/gpu': '9' }), { nodes })).toEqual({ n1: 'ok' })
  })
})

describe('spreading', () => {
  const zone = (name: string, value: string) => node(name, { labels: { zone: value } })
  const nodes = [zone('n1', 'a'), zone('n2', 'b'), node('n3')]
  const labels = { app: 'x' }
  const spread = (more: object = {}) =>
    pod(
      'p',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: labels },
            ...more,
          },
        ],
      },
      labels,
    )
  const pods = [pod('x', { nodeName: 'n1' }, labels)]

  test('a domain may not get ahead, and a node without the label is out', () => {
    expect(ask(podTopologySpread(), spread(), { nodes, pods })).toEqual({
      n1: "Unschedulable: node(s) didn't match pod topology spread constraints",
      n2: 'ok',
      n3: `${nowhere}: node(s) didn't match pod topology spread constraints (missing required label)`,
    })
  })

  test('fewer domains than wanted count as an empty one', () => {
    const even = [...pods, pod('y', { nodeName: 'n2' }, labels)]
    expect(ask(podTopologySpread(), spread(), { nodes, pods: even })).toMatchObject({ n1: 'ok', n2: 'ok' })
    expect(ask(podTopologySpread(), spread({ minDomains: 3 }), { nodes, pods: even })).toMatchObject({
      n1: expect.stringContaining('Unschedulable'),
    })
  })

  test('what would change without a pod is worked out on a copy', () => {
    const snapshot = snapshotOf({ nodes, pods })
    const rule = podTopologySpread()
    const { state } = rule.prepare(podInfoOf(spread()), snapshot)
    const copy = rule.clone!(state!)
    rule.removePod!(copy, podInfoOf(pods[0]!), snapshot.node('n1')!)

    expect(rule.filter(copy, snapshot.node('n1')!).code).toBe('Success')
    expect(rule.filter(state!, snapshot.node('n1')!).code).toBe('Unschedulable')
  })
})

describe('pods near and far from each other', () => {
  const nodes = [node('n1', { labels: { zone: 'a' } }), node('n2', { labels: { zone: 'b' } })]
  const term = (app: string) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { app } } })
  const near = (app: string) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
  })
  const far = (app: string) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
  })

  test('affinity needs such a pod in the domain', () => {
    const pods = [pod('x', { nodeName: 'n1' }, { app: 'db' })]
    expect(ask(interPodAffinity, pod('p', near('db')), { nodes, pods })).toEqual({
      n1: 'ok',
      n2: `${nowhere}: node(s) didn't match pod affinity rules`,
    })
  })

  test('the first of its group may go anywhere', () => {
    expect(ask(interPodAffinity, pod('p', near('db'), { app: 'db' }), { nodes })).toEqual({ n1: 'ok', n2: 'ok' })
  })

  test('anti-affinity keeps away, from both sides', () => {
    const pods = [pod('x', { nodeName: 'n1', ...far('web') }, { app: 'db' })]
    expect(ask(interPodAffinity, pod('p', far('db')), { nodes, pods })).toEqual({
      n1: "Unschedulable: node(s) didn't match pod anti-affinity rules",
      n2: 'ok',
    })
    expect(ask(interPodAffinity, pod('p', {}, { app: 'web' }), { nodes, pods })).toEqual({
      n1: "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules",
      n2: 'ok',
    })
  })

  test('namespaces may be chosen by their labels', () => {
    const other = { ...pod('x', { nodeName: 'n1' }, { app: 'db' }) }
    other.metadata.namespace = 'b'
    const wanted = pod('p', {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { ...term('db'), namespaceSelector: { matchLabels: { team: 'x' } } },
          ],
        },
      },
    })
    const objects = { nodes, pods: [other], namespaces: { a: {}, b: { team: 'x' } } }
    expect(ask(interPodAffinity, wanted, objects)).toMatchObject({ n1: 'ok' })
    expect(ask(interPodAffinity, wanted, { ...objects, namespaces: { a: {}, b: {} } })).toMatchObject({
      n1: expect.stringContaining('affinity'),
    })
  })
})

describe('volumes', () => {
  const nodes = [
    node('n1', { labels: { 'topology.kubernetes.io/zone': 'a' } }),
    node('n2', { labels: { 'topology.kubernetes.io/zone': 'b' } }),
  ]
  const claiming = (name = 'data', spec: Partial<Pod['spec']> = {}) =>
    pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }], ...spec })
  const claim = (spec: object, more: object = {}, name = 'data') => ({
    metadata: { name, namespace: 'a', ...more },
    spec: { resources: { requests: { storage: '1Gi' } }, ...spec },
  })
  const boundTo = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
  const volume = (name: string, spec: object = {}, labels: Record<string, string> = {}): SchedulingVolumeObject => ({
    metadata: { name, labels },
    spec: { capacity: { storage: '2Gi' }, ...spec },
    status: { phase: 'Available' },
  })
  const onNode = (name: string) => ({
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [name] }] },
        ],
      },
    },
  })
  const waiting = {
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  }

  test('a bound local volume ties its pod to its node', () => {
    const claims = [claim({ volumeName: 'v1' }, boundTo)]
    expect(ask(volumeBinding, claiming(), { nodes, claims, volumes: [volume('v1', onNode('n2'))] })).toEqual({
      n1: `${nowhere}: node(s) didn't match PersistentVolume's node affinity`,
      n2: 'ok',
    })
    expect(ask(volumeBinding, claiming(), { nodes, claims })).toMatchObject({
      n1: `${nowhere}: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)`,
    })
  })

  test('claims that wait for their pod are matched together, each volume once', () => {
    const claims = [claim({ storageClassName: 'local' }), claim({ storageClassName: 'local' }, {}, 'more')]
    const two = pod('p', {
      volumes: ['data', 'more'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    })
    const local = (name: string, on: string) => volume(name, { storageClassName: 'local', ...onNode(on) })
    const volumes = [local('v1', 'n1'), local('v2', 'n2'), local('v3', 'n2')]
    expect(ask(volumeBinding, two, { nodes, claims, volumes, storageClasses: [waiting] })).toEqual({
      n1: `${nowhere}: node(s) didn't find available persistent volumes to bind`,
      n2: 'ok',
    })
  })

  test('a provisioner makes what is missing, within its topologies', () => {
    const storageClass = {
      ...waiting,
      provisioner: 'csi.example.com',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['b'] }] }],
    }
    const objects = { nodes, claims: [claim({ storageClassName: 'local' })], storageClasses: [storageClass] }
    expect(ask(volumeBinding, claiming(), objects)).toMatchObject({ n1: expect.stringContaining(nowhere), n2: 'ok' })
  })

  test.each([
    ['persistentvolumeclaim "data" not found', []],
    ['pod has unbound immediate PersistentVolumeClaims', [claim({})]],
    ['persistentvolumeclaim "data" is being deleted', [claim({}, { deletionTimestamp: 'now' })]],
  ])('%s', (message, claims) => {
    expect(ask(volumeBinding, claiming(), { nodes, claims })).toBe(`${nowhere}: ${message}`)
  })

  test('the zone in a volume’s labels binds', () => {
    const zones = { 'topology.kubernetes.io/zone': 'b__c' }
    const objects = { nodes, claims: [claim({ volumeName: 'v1' }, boundTo)], volumes: [volume('v1', {}, zones)] }
    expect(ask(volumeZone, claiming(), objects)).toEqual({
      n1: `${nowhere}: node(s) had no available volume zone`,
      n2: 'ok',
    })
  })

  test('a driver attaches so many volumes; a shared one counts once', () => {
    const csi = (name: string) => volume(name, { csi: { driver: 'd', volumeHandle: name } })
    const csiNodes = nodes.map(({ metadata: { name } }) => ({
      metadata: { name },
      spec: { drivers: [{ name: 'd', allocatable: { count: 1 } }] },
    }))
    const objects = {
      nodes,
      csiNodes,
      claims: [claim({ volumeName: 'v1' }, boundTo), claim({ volumeName: 'v2' }, boundTo, 'other')],
      volumes: [csi('v1'), csi('v2')],
      pods: [{ ...claiming('other', { nodeName: 'n1' }), metadata: { name: 'x', namespace: 'a', uid: 'x' } }],
    }
    expect(ask(nodeVolumeLimits, claiming('data'), objects)).toEqual({
      n1: 'Unschedulable: node(s) exceed max volume count',
      n2: 'ok',
    })
    expect(ask(nodeVolumeLimits, claiming('other'), objects)).toEqual({ n1: 'ok', n2: 'ok' })
  })

  test('a claim for one pod at a time is refused to a second, on every node', () => {
    const claims = [claim({ accessModes: ['ReadWriteOncePod'] })]
    const pods = [{ ...claiming('data', { nodeName: 'n1' }), metadata: { name: 'x', namespace: 'a', uid: 'x' } }]
    const message =
      'Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'
    expect(ask(volumeRestrictions, claiming(), { nodes, claims, pods })).toEqual({ n1: message, n2: message })
    expect(ask(volumeRestrictions, claiming(), { nodes, claims })).toBe('skip')
  })

  test('a disk that is mounted to be written is refused to others', () => {
    const disk = (readOnly: boolean, spec: object = {}) =>
      pod(`r${readOnly}`, { volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd', readOnly } }], ...spec } as object)
    expect(ask(volumeRestrictions, disk(true), { nodes, pods: [disk(false, { nodeName: 'n1' })] })).toEqual({
      n1: 'Unschedulable: node(s) had no available disk',
      n2: 'ok',
    })
    expect(ask(volumeRestrictions, disk(true), { nodes, pods: [disk(true, { nodeName: 'n1' })] })).toMatchObject({
      n1: 'ok',
    })
  })
})
