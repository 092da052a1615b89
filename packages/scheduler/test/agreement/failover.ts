/**
 * Two replicas with leader election; the leader is killed while pods are being bound. Every pod must be bound, and none
 * twice: `node packages/scheduler/test/agreement/failover.ts --programs DIR [--pods 1000]`.
 */
import { leases, namespaces, nodes, pods, type Pod } from '@kubevirt-ts/api'
import { defineOptions, parseOptions } from '@kubevirt-ts/service'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { programs, startControlPlane, startProgram } from './control-plane.ts'

const options = parseOptions(
  defineOptions({
    programs,
    pods: { flag: 'pods', type: 'number', default: 1000, help: 'how many pods' },
  }),
  process.argv.slice(2),
  {},
  { name: 'failover' },
)
const binary = fileURLToPath(new URL('../../bin/stickyvm-scheduler', import.meta.url))

await using folder = await mkdtempDisposable(join(tmpdir(), 'failover-'))
await using plane = await startControlPlane(options.programs)
const { client } = plane
await client.create(namespaces, { metadata: { name: 'a' } })
const allocatable = { cpu: '64', memory: '256Gi', pods: '500' }
for (let index = 0; index < 10; index++) {
  await client.create(nodes, { metadata: { name: `n${index}` }, status: { allocatable } })
}
const config = join(folder.path, 'ksc.json')
await writeFile(
  config,
  JSON.stringify({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    // Short times: the test is about what happens between two leaders, not about waiting.
    leaderElection: { leaseDuration: '4s', renewDeadline: '3s', retryPeriod: '1s' },
    clientConnection: { kubeconfig: plane.kubeconfig, qps: 5000, burst: 5000 },
    profiles: [{ schedulerName: 'x' }],
  }),
)
const start = (log: string) =>
  startProgram(binary, join(folder.path, log), [
    '--config',
    config,
    '--bind-address',
    '127.0.0.1',
    '--secure-port',
    '0',
  ])

const nodeOfPod = new Map<string, string>()
let changes = 0
const stop = new AbortController()
const watching = watch()
await using first = start('first')
await until(async () => (await holder()) !== '')
await using _second = start('second')
const leader = await holder()
const creating = createAll()
await until(() => nodeOfPod.size > options.pods / 4)
const boundBefore = nodeOfPod.size
const killedAt = Date.now()
await first.stop()
await creating
await until(() => nodeOfPod.size === options.pods)
const secondsToAll = (Date.now() - killedAt) / 1000
console.log(
  `${options.pods} pods: leader killed after ${boundBefore} bindings, all bound ${secondsToAll.toFixed(1)} s later, ` +
    `leader changed: ${(await holder()) !== leader}, pods that changed their node: ${changes}`,
)
stop.abort()
await watching
process.exitCode = changes === 0 ? 0 : 1

async function createAll(): Promise<void> {
  for (let index = 0; index < options.pods; index++) await client.create(pods, podNumber(index))
}

async function holder(): Promise<string> {
  const lease = await client
    .get(leases, { name: 'stickyvm-scheduler', namespace: 'kube-system' })
    .catch(() => undefined)
  return lease?.spec?.holderIdentity ?? ''
}

async function watch(): Promise<void> {
  for await (const { object } of client.watch(pods, { namespace: 'a', signal: stop.signal })) {
    const { nodeName } = object.spec
    if (!nodeName) continue
    const before = nodeOfPod.get(object.metadata.name)
    if (before !== undefined && before !== nodeName) changes += 1
    nodeOfPod.set(object.metadata.name, nodeName)
  }
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; !(await what()); await sleep(20)) {
    if (Date.now() > end) throw new Error('it did not happen within two minutes')
  }
}

function podNumber(index: number): Pod {
  const requests = { cpu: '100m', memory: '200Mi' }
  return {
    metadata: { name: `p${index}`, namespace: 'a' },
    spec: { schedulerName: 'x', containers: [{ name: 'c', image: 'i', resources: { requests } }] },
  }
}
