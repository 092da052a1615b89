import { setTimeout as sleep } from 'node:timers/promises'
import { virtualMachines } from '@kubevirt-ts/api'
import type { ControlPlane } from './control-plane.ts'
import { until } from './history.ts'
import { insistent } from './insistent.ts'
import { liveAll, setStage, writesOf } from './stage.ts'
import type { Plan } from './stage.ts'
import { startWebhook } from './webhook.ts'

const downMs = 60_000
/** A list or watch of each kind, which wait longer with each failure. */
const informersPerSecond = 10
/** A key that fails is tried again after 5 ms, doubled each time: 14 times in a minute, for a VM and for its guest. */
const triesPerSecond = (2 * 14) / 60

/** The API server does not answer for a minute: few requests meanwhile, and all comes to rest afterwards. */
export async function serverDown(plane: ControlPlane, plan: Plan): Promise<string> {
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

/** What a key asks for when it is tried: the VMI or VM itself, its revision, its status and its events. */
const requestsPerTry = 6

/**
 * virt-api takes requests for half a minute and says nothing, then nobody takes them for another: users and controllers
 * can write neither VMs nor VMIs. Few requests meanwhile, and all comes to rest afterwards.
 */
export async function webhookDown(plane: ControlPlane, plan: Plan): Promise<string> {
  await using webhook = await startWebhook(plane)
  await using stage = await setStage(plane, plan)
  const { proxy } = stage.controllers[0]!
  let refusedUsers = 0
  const client = insistent(plane.client, () => (refusedUsers += 1))
  const living = liveAll({ client }, plan)
  living.catch(() => undefined)
  await until(
    async () => writesOf(proxy.requests).length > 20,
    () => 'the controller writes nothing',
  )
  const begin = proxy.requests.length
  webhook.freeze()
  await sleep(downMs / 2)
  await webhook.end()
  await sleep(downMs / 2)
  const during = proxy.requests.slice(begin)
  await webhook.start()
  const refused = during.filter(({ method, code }) => method !== 'GET' && code === 500).length
  if (refused === 0 || refusedUsers === 0) throw new Error('nobody missed the webhook')
  const perSecond = during.length / (downMs / 1000)
  const allowed = informersPerSecond + Math.min(plan.parallel, plan.histories) * triesPerSecond * requestsPerTry
  if (perSecond > allowed) throw new Error(`${perSecond.toFixed(1)} requests a second while the webhook was away`)
  await living
  await until(
    async () => (await plane.client.list(virtualMachines)).items.length === 0,
    () => 'VMs are left over',
  )
  return stage.verdict(
    `${plan.histories} histories, ${perSecond.toFixed(1)} requests a second while the webhook was away, of which ${refused} in all were refused (of users ${refusedUsers})`,
  )
}
