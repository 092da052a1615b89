import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { label, nodes, virtualMachineInstanceMigrations, virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { bearingSilence } from '../client/silence.ts'
import { CommandError } from '../command.ts'
import type { Cluster } from '../command.ts'
import { evict } from './evict.ts'
import { isOver, keyOf } from './seen.ts'
import type { Plan, Step } from './seen.ts'

export interface ApplyOptions {
  /** 0 waits for ever. */
  readonly timeoutMs: number
  readonly told: Writable
  readonly signal: AbortSignal
}

const pollMs = 1_000

/** One guest that is to leave. */
interface Leaving {
  readonly step: Step
  said: string
  /** The eviction was taken, or need not be asked for again. */
  evicted: boolean
}

/**
 * Cordons the node, evicts all guests that are not blocked, and tells of each step of each until they have left. What
 * was begun goes on when this is interrupted or waits too long, which throws.
 */
export async function apply(plan: Plan, cluster: Cluster, { timeoutMs, told, signal }: ApplyOptions): Promise<void> {
  const leaving = plan.virtualMachines
    .filter(({ action }) => action !== 'blocked')
    .map((step): Leaving => ({ step, said: '', evicted: false }))
  if (!plan.cordoned) {
    await cluster.client.patch(nodes, { name: plan.node }, { spec: { unschedulable: true } }, { type: 'merge' })
    told.write(`node/${plan.node} cordoned\n`)
  }
  const deadline = timeoutMs === 0 ? Infinity : Date.now() + timeoutMs
  const bear = bearingSilence((line) => void told.write(`${line}\n`))
  for (let here = leaving; ;) {
    for (const each of here) if (!each.evicted) await bear(() => ask(each, cluster, told))
    here = (await bear(() => look(here, plan.node, cluster, told))) ?? here
    if (here.length === 0) break
    if (signal.aborted) throw new CommandError(interrupted(plan.node, here), 130)
    if (Date.now() >= deadline) throw new CommandError(late(plan.node, here, timeoutMs))
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
  told.write(`${leaving.length} left node ${plan.node}\n`)
}

async function ask(each: Leaving, cluster: Cluster, told: Writable): Promise<void> {
  const { evicted, message } = await evict(each.step, cluster)
  each.evicted = evicted
  say(each, evicted ? 'evicted' : `is not evicted yet: ${message}`, told)
}

/** Tells what is new of each; answers those that are still on the node. */
async function look(here: readonly Leaving[], node: string, { client }: Cluster, told: Writable): Promise<Leaving[]> {
  const { items } = await client.list(virtualMachineInstances, { labelSelector: `${label.nodeName}=${node}` })
  const present = new Map(items.filter((vmi) => !isOver(vmi)).map((vmi) => [keyOf(vmi), vmi]))
  const migrations = await movesOf(here, { client })
  const staying: Leaving[] = []
  for (const each of here) {
    const key = `${each.step.namespace}/${each.step.name}`
    if (present.has(key)) {
      staying.push(each)
      if (each.evicted) say(each, stateOf(each.step, migrations.get(key)), told)
    } else say(each, await whereTo(each.step, node, { client }), told)
  }
  return staying
}

/** The newest migration of each guest, by `namespace/name` of the guest. */
async function movesOf(
  here: readonly Leaving[],
  { client }: Pick<Cluster, 'client'>,
): Promise<ReadonlyMap<string, VirtualMachineInstanceMigration>> {
  const names = [...new Set(here.map(({ step }) => step.name))]
  if (names.length === 0) return new Map()
  const labelSelector = `${label.vmiName} in (${names.join(',')})`
  const { items } = await client.list(virtualMachineInstanceMigrations, { labelSelector })
  const oldestFirst = items.toSorted((a, b) => created(a).localeCompare(created(b)))
  return new Map(oldestFirst.map((each) => [`${each.metadata.namespace}/${each.spec.vmiName}`, each]))
}

const created = ({ metadata }: VirtualMachineInstanceMigration) => metadata.creationTimestamp ?? ''

function stateOf({ action }: Step, migration: VirtualMachineInstanceMigration | undefined): string {
  if (action === 'restart' || action === 'stop') return 'is being shut down'
  if (migration === undefined) return action === 'external' ? 'waits for the program that moves it' : 'evicted'
  const { phase, migrationState } = migration.status ?? {}
  if (phase === 'Failed') {
    return `its move failed: ${migrationState?.failureReason ?? 'no reason is told'}; it is tried again`
  }
  return phase === undefined || phase === 'Pending' ? 'waits for its turn to move' : `moves: ${phase}`
}

async function whereTo(
  { namespace, name, action }: Step,
  node: string,
  { client }: Pick<Cluster, 'client'>,
): Promise<string> {
  const vmi = await client.get(virtualMachineInstances, { namespace, name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (isElsewhere(vmi, node) && action !== 'restart') return `moved to ${vmi!.status!.nodeName}`
  if (action === 'stop') return 'was shut down'
  return `was shut down${action === 'restart' ? ' and starts elsewhere' : ''}`
}

const isElsewhere = (vmi: VirtualMachineInstance | undefined, node: string) =>
  vmi?.status?.nodeName !== undefined && vmi.status.nodeName !== node && !isOver(vmi)

function say(each: Leaving, what: string, told: Writable): void {
  if (each.said === what) return
  each.said = what
  told.write(`${each.step.namespace}/${each.step.name} ${what}\n`)
}

const namesOf = (here: readonly Leaving[]) => here.map(({ step }) => `${step.namespace}/${step.name}`).join(', ')

const interrupted = (node: string, here: readonly Leaving[]) =>
  `Interrupted. The node stays cordoned and what was begun goes on (${namesOf(here)}): kubectl uncordon ${node} and virtctl evacuate-cancel take it back.`

const late = (node: string, here: readonly Leaving[], timeoutMs: number) =>
  `Still on node ${node} after ${timeoutMs / 1000} s: ${namesOf(here)}. What was begun goes on; virtctl why NAME tells what it waits for.`
