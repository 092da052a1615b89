import { afterAll, expect, test } from '@jest/globals'
import { pods } from '@kubevirt-ts/api'
import type { KubeObject } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { createRegistry, parseOptions } from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { createInformers } from '../src/informers.ts'
import { lead } from '../src/leader/index.ts'
import { createMetrics } from '../src/metrics/transitions.ts'
import { options as definitions } from '../src/options.ts'
import { watchCluster } from './stress/cluster.ts'
import { faultyClient } from './stress/faulty-client.ts'
import { noFaults } from './stress/faulty-proxy.ts'
import type { Faults } from './stress/faulty-proxy.ts'
import { live, until } from './stress/history.ts'
import { seeded } from './stress/model.ts'
import { play } from './stress/players.ts'
import { rival } from './stress/rival.ts'

const kubeVirt = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: 'kubevirt' },
  spec: { configuration: { developerConfiguration: { useEmulation: true, featureGates: ['DirectContainerDisk'] } } },
}

const stop = new AbortController()
afterAll(() => stop.abort())

/** A leader with real caches and queues over a server in memory, and players for the rest of the cluster. */
function stage(faults: Partial<Faults>, seed: number, admit = (client: KubeClient) => client) {
  const server = fakeClient([kubeVirt])
  const client = admit(faultyClient(server, { ...noFaults, ...faults }, seeded(seed)))
  const log = silentLog()
  const informers = createInformers(client, 'kubevirt', log)
  const config = new ClusterConfig({ kubeVirts: informers.kubeVirts, namespace: 'kubevirt' })
  const options = parseOptions(definitions, ['--launcher-image', 'registry.example/virt-launcher:v1'], {})
  const registry = createRegistry('virt-controller')
  const abort = new AbortController()
  stop.signal.addEventListener('abort', () => abort.abort())
  for (const informer of Object.values(informers)) informer.start(abort.signal)
  const metrics = createMetrics(registry)
  const leading = lead({ client, informers, config, metrics, registry, options, log }, abort.signal)
  const witness = play(server, abort.signal, async ({ namespace, name }) => {
    await server.patch(pods, { namespace, name }, { spec: { nodeName: 'node01' } }, { type: 'merge' })
  })
  return {
    server,
    witness,
    signal: abort.signal,
    end: async () => {
      abort.abort()
      await leading
    },
  }
}

/** Printed with each failure, so that a history can be lived again. The long form, test/stress, draws others. */
const seed = Number(process.env['SEED'] ?? 478_877)

test.each<[what: string, faults: Partial<Faults>, isRivalled: boolean]>([
  ['nothing goes wrong', {}, false],
  ['every third write is refused as a conflict', { conflicts: 0.3 }, false],
  ['a rival writes on every object', {}, true],
  ['caches are behind', { staleMs: 30 }, false],
  ['watches are closed and told that they are too old', { watchMs: 700, expired: 0.3 }, false],
  ['each event comes twice', { duplicated: true }, false],
])(
  `VMs come to rest where the model says and no guest gets a second pod, while %s (seed ${seed})`,
  async (_what, faults, isRivalled) => {
    const { server, witness, signal, end } = stage(faults, seed)
    if (isRivalled) rival(server, seeded(seed), signal)
    const cluster = await watchCluster(server, signal)
    await Promise.all([0, 1, 2, 3].map((index) => live(seed + index, 4, cluster)))
    expect(witness.wrong).toEqual([])
    await end()
  },
  120_000,
)

/** Every write of a VM or VMI needs a webhook that may be away; times at which one was refused, by what it was. */
function admission() {
  const refused = new Map<string, number[]>()
  let isAway = false
  const ask = (verb: string, { plural }: { readonly plural: string }, name: string | undefined): void => {
    if (!isAway || (plural !== 'virtualmachines' && plural !== 'virtualmachineinstances')) return
    const what = `${verb} ${plural}/${name}`
    refused.set(what, [...(refused.get(what) ?? []), performance.now()])
    const message = 'failed calling webhook "virtualmachines-mutate.kubevirt.io"'
    throw new ApiError({ code: 500, reason: 'InternalError', message }, { request: 'TEST' })
  }
  const admit = (client: KubeClient): KubeClient => ({
    ...client,
    create: async (resource, object, options) => {
      ask('create', resource, (object as KubeObject).metadata.name)
      return client.create(resource, object, options)
    },
    update: async (resource, object, options) => {
      if (options?.subresource === undefined) ask('update', resource, (object as KubeObject).metadata.name)
      return client.update(resource, object, options)
    },
    patch: async (resource, reference, body, options) => {
      if (options.subresource === undefined) ask('patch', resource, reference.name)
      return client.patch(resource, reference, body, options)
    },
  })
  return { admit, refused, leave: () => void (isAway = true), comeBack: () => void (isAway = false) }
}

const tries = 11

test(`a webhook that is away is asked less and less, and all comes to rest afterwards (seed ${seed})`, async () => {
  const webhook = admission()
  const { server, witness, signal, end } = stage({}, seed, webhook.admit)
  const cluster = await watchCluster(server, signal)
  webhook.leave()
  const living = Promise.all([0, 1].map((index) => live(seed + index, 3, cluster)))
  living.catch(() => undefined)
  const often = (): number[] | undefined => [...webhook.refused.values()].find((times) => times.length >= tries)
  await until(
    async () => often() !== undefined,
    () => `tried ${[...webhook.refused.values()].map(({ length }) => length).join()} times`,
  )
  const times = often()!
  webhook.comeBack()
  // Tries that follow at once would take a few milliseconds.
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(1000)
  await living
  expect(witness.wrong).toEqual([])
  await end()
}, 120_000)
