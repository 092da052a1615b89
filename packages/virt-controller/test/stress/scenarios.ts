import { setTimeout as sleep } from 'node:timers/promises'
import { leases } from '@kubevirt-ts/api'
import type { ControlPlane } from './control-plane.ts'
import { clear, killedEtcd, restoredEtcd } from './etcd.ts'
import { noFaults } from './faulty-proxy.ts'
import type { Faults } from './faulty-proxy.ts'
import { until } from './history.ts'
import { seeded } from './model.ts'
import { optionalApis } from './optional-apis.ts'
import { serverDown, webhookDown } from './outages.ts'
import { rival } from './rival.ts'
import { liveAll, setStage, writesOf } from './stage.ts'
import type { Plan } from './stage.ts'

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
  { name: 'webhook-down', run: webhookDown },
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
  const lateWrites = () => writesOf(leader.proxy.requests).slice(before)
  // The next process of its name may come to lead, and write, on a machine that makes leaders lose their lease.
  let late: ReturnType<typeof lateWrites> | undefined
  void leader.ended().then(() => (late = lateWrites()))
  leader.signal('SIGCONT')
  await living
  late ??= lateWrites()
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
