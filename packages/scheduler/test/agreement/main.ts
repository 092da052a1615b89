/**
 * Compares our verdicts with those of the real kube-scheduler on random clusters. See README.md.
 * `node packages/scheduler/test/agreement/main.ts --programs DIR [--clusters 100] [--pods 20] [--seed 1]`
 */
import {
  nodes as nodeResource,
  persistentVolumeClaims,
  persistentVolumes,
  pods as podResource,
  storageClasses as storageClassResource,
  namespaces as namespaceResource,
  type KubeObject,
  type Pod,
  type ResourceType,
} from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { snapshotOf, type Snapshot } from '@kubevirt-ts/scheduling'
import { defineOptions, parseOptions } from '@kubevirt-ts/service'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { programs, startControlPlane } from './control-plane.ts'
import { ourVerdict, type Verdict } from './our-verdict.ts'
import { namespaces, randomCluster, storageClasses, type RandomCluster } from './random-cluster.ts'
import { startRecordingExtender, type RecordingExtender } from './recording-extender.ts'

const options = parseOptions(
  defineOptions({
    programs,
    clusters: { flag: 'clusters', type: 'number', default: 100, help: 'how many clusters' },
    pods: { flag: 'pods', type: 'number', default: 20, help: 'pods for each cluster' },
    seed: { flag: 'seed', type: 'number', default: 1, help: 'the first cluster' },
  }),
  process.argv.slice(2),
  {},
  { name: 'agreement' },
)

const csiNodes: ResourceType<KubeObject> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csinodes',
  kind: 'CSINode',
  namespaced: false,
}

interface Case {
  readonly pod: string
  readonly ours: Verdict
  readonly theirs: readonly string[]
  readonly message: string
}

/** Longer than informers take to hear of a change. */
const settleMs = 400

await using extender = await startRecordingExtender()
await using plane = await startControlPlane(options.programs)
const { client } = plane
// The scores are in its log.
const scheduler = await plane.startKubeScheduler(recordingConfiguration(extender.url), '-v=10')
for (const namespace of namespaces) await client.create(namespaceResource, namespace)
for (const storageClass of storageClasses) await client.create(storageClassResource, storageClass)

const cases: Case[] = []
for (let index = 0; index < options.clusters; index++) {
  const cluster = randomCluster(options.seed + index, options.pods)
  await build(client, cluster)
  await sleep(settleMs)
  const snapshot = await readSnapshot(client)
  for (const pod of cluster.candidates) cases.push(await compare(pod, snapshot, client, extender))
  await clear(client)
  if ((index + 1) % 10 === 0) console.log(`${index + 1} clusters, ${cases.length} cases`)
}
process.exitCode = report(cases, await scoresIn(scheduler.log)) ? 0 : 1

/** All nodes are looked at; nobody is evicted; volumes are not really bound. */
function recordingConfiguration(urlPrefix: string): object {
  const all = { disabled: [{ name: '*' }] }
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    percentageOfNodesToScore: 100,
    profiles: [{ schedulerName: 'real', plugins: { postFilter: all, preBind: all } }],
    extenders: [{ urlPrefix, filterVerb: 'filter', bindVerb: 'bind', nodeCacheCapable: true }],
  }
}

async function build(to: KubeClient, cluster: RandomCluster): Promise<void> {
  await Promise.all([
    ...cluster.nodes.map(async (node) => {
      await to.create(nodeResource, node)
      await to.patch(
        nodeResource,
        { name: node.metadata.name },
        { status: node.status },
        { type: 'merge', subresource: 'status' },
      )
    }),
    ...cluster.csiNodes.map((each) => to.create(csiNodes, each)),
    ...cluster.claims.map((claim) => to.create(persistentVolumeClaims, claim)),
    ...cluster.volumes.map(async (volume) => {
      await to.create(persistentVolumes, volume)
      if (volume.status === undefined) return
      const { name } = volume.metadata
      await to.patch(persistentVolumes, { name }, { status: volume.status }, { type: 'merge', subresource: 'status' })
    }),
  ])
  await Promise.all(cluster.placed.map((pod) => to.create(podResource, pod)))
}

/** From what the API server made of it, so that both see the same defaults. */
async function readSnapshot(from: KubeClient): Promise<Snapshot> {
  const all = async <T>(resource: ResourceType<T>) => (await from.list(resource)).items
  const listed = await Promise.all([
    all(nodeResource),
    all(podResource),
    all(persistentVolumeClaims),
    all(persistentVolumes),
    all(storageClassResource),
    all(csiNodes),
  ])
  const [nodes, pods, claims, volumes, classes, csi] = listed
  return snapshotOf({
    nodes,
    pods,
    claims,
    volumes,
    storageClasses: classes,
    csiNodes: csi,
    namespaces: Object.fromEntries(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
  })
}

/** Asks both about one pod, which is gone again afterwards. */
async function compare(wanted: Pod, snapshot: Snapshot, to: KubeClient, { seen }: RecordingExtender): Promise<Case> {
  const { name, namespace = '' } = wanted.metadata
  const pod = await to.create(podResource, wanted)
  let message = ''
  for (const end = Date.now() + 20_000; ; await sleep(5)) {
    if (seen.get(name)?.isDecided === true) break
    const now = await to.get(podResource, { name, namespace })
    const told = now.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    if (told?.status === 'False' && !seen.has(name)) {
      message = told.message ?? ''
      break
    }
    if (Date.now() > end) throw new Error(`kube-scheduler said nothing about ${name}`)
  }
  await to.delete(podResource, { name, namespace }, { gracePeriodSeconds: 0 })
  return { pod: name, ours: await ourVerdict(pod, snapshot), theirs: seen.get(name)?.nodes ?? [], message }
}

async function clear(from: KubeClient): Promise<void> {
  for (const resource of [
    podResource,
    persistentVolumeClaims,
    persistentVolumes,
    csiNodes,
    nodeResource,
  ] as ResourceType<KubeObject>[]) {
    const { items } = await from.list(resource)
    await Promise.all(
      items.map(({ metadata: { name, namespace } }) =>
        from.delete(resource, { name, ...(namespace === undefined ? {} : { namespace }) }, { gracePeriodSeconds: 0 }),
      ),
    )
  }
}

/** By pod: what kube-scheduler gave each node for each plugin, weighted. */
async function scoresIn(log: string): Promise<Map<string, Map<string, number>>> {
  const scores = new Map<string, Map<string, number>>()
  const line = /"Plugin scored node for pod" pod="[^/]*\/([^"]*)" plugin="([^"]*)" node="([^"]*)" score=(-?\d+)/g
  for (const [, pod = '', plugin, node, score] of (await readFile(log, 'utf8')).matchAll(line)) {
    const ofPod = scores.get(pod) ?? new Map<string, number>()
    // Later attempts of the same pod may see another cluster.
    if (!ofPod.has(`${plugin} ${node}`)) ofPod.set(`${plugin} ${node}`, Number(score))
    scores.set(pod, ofPod)
  }
  return scores
}

function report(all: readonly Case[], theirScores: ReadonlyMap<string, ReadonlyMap<string, number>>): boolean {
  const wrongNodes = all.filter(({ ours, theirs }) => ours.feasible.toSorted().join() !== theirs.toSorted().join())
  const wrongWords = all.filter(
    ({ ours, theirs, message }) => theirs.length === 0 && ours.feasible.length === 0 && ours.message !== message,
  )
  const scored = all.filter(({ ours }) => ours.scores.size > 0)
  const differing = scored.flatMap(({ pod, ours }) => differences(pod, ours.scores, theirScores.get(pod) ?? new Map()))
  for (const { pod, ours, theirs } of wrongNodes.slice(0, 10))
    console.log(`${pod}: ours [${ours.feasible.join(' ')}], theirs [${theirs.join(' ')}]`)
  for (const { pod, ours, message } of wrongWords.slice(0, 10))
    console.log(`${pod}:\n  ours   ${ours.message}\n  theirs ${message}`)
  for (const line of differing.slice(0, 10)) console.log(line)
  const decisive = new Map<string, number>()
  for (const { ours } of all) for (const name of ours.decisive) decisive.set(name, (decisive.get(name) ?? 0) + 1)
  console.log(
    `cases: ${all.length}; feasible sets that differ: ${wrongNodes.length}; sentences that differ: ${wrongWords.length}`,
  )
  console.log(`cases with scores: ${scored.length}; scores that differ: ${differing.length}`)
  console.log(`pods that fit nowhere: ${all.filter(({ theirs }) => theirs.length === 0).length}`)
  console.log(
    `cases in which one filter alone kept the pod from a node: ${JSON.stringify(Object.fromEntries(decisive))}`,
  )
  return wrongNodes.length + wrongWords.length + differing.length === 0
}

function differences(pod: string, ours: ReadonlyMap<string, number>, theirs: ReadonlyMap<string, number>): string[] {
  const keys = new Set([...ours.keys(), ...theirs.keys()])
  // A plugin that was left out gave nobody anything.
  return [...keys]
    .filter((key) => (ours.get(key) ?? 0) !== (theirs.get(key) ?? 0))
    .map((key) => `${pod}: ${key}: ours ${ours.get(key) ?? 'none'}, theirs ${theirs.get(key) ?? 'none'}`)
}
