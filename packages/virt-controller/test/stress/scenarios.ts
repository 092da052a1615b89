import { setTimeout as sleep } from 'node:timers/promises'
import { leases, virtualMachines } from '@kubevirt-ts/api'
import { watchCluster } from './cluster.ts'
import type { ControlPlane } from './control-plane.ts'
import { prepare, startController } from './controllers.ts'
import type { Controller } from './controllers.ts'
import { clear, killedEtcd, restoredEtcd } from './etcd.ts'
import { noFaults } from './faulty-proxy.ts'
import type { Faults } from './faulty-proxy.ts'
import { live, until } from './history.ts'
import { seeded } from './model.ts'
import { optionalApis } from './optional-apis.ts'
import { play } from './players.ts'
import type { Witness } from './players.ts'
import { rival } from './rival.ts'

export interface Plan {
  readonly seed: number
  readonly histories: number
  readonly steps: number
  readonly parallel: number
  /** Seconds that a step of a history may take. */
  readonly patience: number
}

export interface Scenario {
  readonly name: string
  /** Throws where something was wrong; answers in a sentence what was seen. */
  readonly run: (plane: ControlPlane, plan: Plan) => Promise<string>
}

/** Random histories of VMs under one kind of fault. */
const under = (name: string, faults: Partial<Faults>, withRival = false): Scenario => ({
  name,
  run: async (plane, plan) => {
    await using stage = await setStage(plane, plan)
    Object.assign(stage.controllers[0]!.proxy.faults, faults)
    if (withRival) rival(plane.client, seeded(plan.seed), stage.signal)
    await liveAll(plane, plan)
    return stage.verdict(`${plan.histories} histories of ${plan.steps} actions`)
  },
})

export const scenarios: readonly Scenario[] = [
  under('no-faults', noFaults),
  under('conflict-storm', { conflicts: 0.3 }),
  under('rival-writer', {}, true),
  under('stale-caches', { staleMs: 5000 }),
  under('closing-watches', { watchMs: 1000 }),
  under('expired-watches', { watchMs: 3000, expired: 0.5 }),
  under('duplicated-events', { duplicated: true }),
  { name: 'stopped-leader', run: stoppedLeader },
  { name: 'server-down', run: serverDown },
  { name: 'etcd-killed', run: (plane, plan) => overEtcd(plane, plan, killedEtcd) },
  { name: 'etcd-restored', run: (plane, plan) => overEtcd(plane, plan, restoredEtcd) },
  {
    name: 'optional-apis',
    run: async (plane, plan) => {
      await using stage = await setStage(plane, plan)
      // Awaited here: the stage is taken down at the end of this block.
      return await optionalApis(plane, stage.controllers[0]!)
    },
  },
]

interface Stage extends AsyncDisposable {
  readonly controllers: readonly Controller[]
  readonly witness: Witness
  readonly signal: AbortSignal
  /** Throws where something happened that must never. */
  verdict(told: string): string
}

async function setStage(plane: ControlPlane, { seed }: Plan, replicas = 1): Promise<Stage> {
  await prepare(plane.client)
  const stop = new AbortController()
  const witness = play(plane.client, stop.signal)
  const controllers: Controller[] = []
  for (let index = 0; index < replicas; index++) {
    controllers.push(await startController(plane, `controller-${index}`, seeded(seed + index)))
  }
  return {
    controllers,
    witness,
    signal: stop.signal,
    verdict: (told) => {
      if (witness.wrong.length > 0) throw new Error(witness.wrong.join('; '))
      const writes = controllers.reduce((sum, { proxy }) => sum + writesOf(proxy.requests).length, 0)
      return `${told}, ${witness.podsOf.size} guests, each with one pod; ${writes} writes`
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      for (const controller of controllers) await controller[Symbol.asyncDispose]()
    },
  }
}

type Requests = Controller['proxy']['requests']

/** Leases and events are nobody's state. */
function writesOf(requests: Requests): Requests {
  return requests.filter(({ method, path }) => method !== 'GET' && !/\/(leases|events)/.test(path))
}

async function liveAll({ client }: ControlPlane, { seed, histories, steps, parallel, patience }: Plan): Promise<void> {
  const over = new AbortController()
  const cluster = await watchCluster(client, over.signal)
  const waiting = Array.from({ length: histories }, (_, index) => seed + index)
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await live(next, steps, cluster, patience * 1000)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker)).finally(() => over.abort())
}

/** The leader is stopped in the middle of its work and goes on when another leads: it may not write any more. */
async function stoppedLeader(plane: ControlPlane, plan: Plan): Promise<string> {
  await using stage = await setStage(plane, plan, 2)
  const holder = async (): Promise<string> => {
    const lease = await plane.client
      .get(leases, { namespace: 'kubevirt', name: 'virt-controller' })
      .catch(() => undefined)
    return lease?.spec?.holderIdentity ?? ''
  }
  await until(
    async () => (await holder()) !== '',
    () => 'nobody leads',
  )
  const first = await holder()
  const leader = stage.controllers.find(({ name }) => name === first)!
  const living = liveAll(plane, plan)
  await until(
    async () => writesOf(leader.proxy.requests).length > 20,
    () => 'the leader writes nothing',
  )
  leader.signal('SIGSTOP')
  await until(
    async () => (await holder()) !== first,
    () => 'nobody takes over from the stopped leader',
  )
  await sleep(3000)
  const before = writesOf(leader.proxy.requests).length
  leader.signal('SIGCONT')
  await living
  const late = writesOf(leader.proxy.requests).slice(before)
  if (late.length > 0)
    throw new Error(`the old leader wrote: ${late.map(({ method, path }) => `${method} ${path}`).join(', ')}`)
  return stage.verdict(`${plan.histories} histories over two leaders, no write of the old one`)
}

async function overEtcd(plane: ControlPlane, plan: Plan, run: typeof killedEtcd): Promise<string> {
  await using stage = await setStage(plane, plan)
  const told = await run(plane, Math.min(plan.histories, 20))
  const verdict = stage.verdict(told)
  await clear(plane.client)
  return verdict
}

const downMs = 60_000
/** A list or watch of each kind, which wait longer with each failure. */
const informersPerSecond = 10
/** A key that fails is tried again after 5 ms, doubled each time: 14 times in a minute, for a VM and for its guest. */
const triesPerSecond = (2 * 14) / 60

/** The API server does not answer for a minute: few requests meanwhile, and all comes to rest afterwards. */
async function serverDown(plane: ControlPlane, plan: Plan): Promise<string> {
  await using stage = await setStage(plane, plan)
  const { proxy } = stage.controllers[0]!
  const living = liveAll(plane, plan)
  living.catch(() => undefined)
  await until(
    async () => writesOf(proxy.requests).length > 20,
    () => 'the controller writes nothing',
  )
  const begin = proxy.requests.length
  proxy.faults.down = true
  await sleep(downMs)
  proxy.faults.down = false
  const during = proxy.requests.length - begin
  const perSecond = during / (downMs / 1000)
  const allowed = informersPerSecond + Math.min(plan.parallel, plan.histories) * triesPerSecond
  if (perSecond > allowed) throw new Error(`${perSecond.toFixed(1)} requests a second while nothing was answered`)
  await living
  await until(
    async () => (await plane.client.list(virtualMachines)).items.length === 0,
    () => 'VMs are left over',
  )
  return stage.verdict(
    `${plan.histories} histories, ${perSecond.toFixed(1)} requests a second while nothing was answered`,
  )
}
