import { annotation, label, nodes } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface HeartbeatOptions {
  readonly client: KubeClient
  readonly node: string
  /** Whether guests can be placed here. */
  readonly ready: () => boolean
  /** Where the kubelet keeps the policy of its CPU manager. */
  readonly kubeletRoot: string
  readonly log: Logger
}

export interface Heartbeat {
  /** Ends the sign of life and takes the node out of the choice for new guests. */
  stop(): Promise<void>
}

const periodMs = 60_000
const jitter = 0.2
/** At start the devices are not registered yet; waiting a whole period would keep the node empty. */
const firstPollMs = 100
const firstPolls = 100

/** Tells the scheduler once a minute whether guests can be placed on this node. */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const ending = new AbortController()
  const beating = beat(options, ending.signal)
  return {
    async stop() {
      ending.abort()
      await beating
      await mark(options, false)
    },
  }
}

/** Takes the node out of the choice, or puts it in. A node that cannot be written is logged, the next beat tries again. */
export async function mark({ client, node, kubeletRoot, log }: HeartbeatOptions, schedulable: boolean): Promise<void> {
  const cpuManager = String(await hasStaticCpuManager(kubeletRoot))
  const labels = {
    [label.schedulable]: String(schedulable),
    [label.cpuManager]: cpuManager,
    [label.cpuManagerOld]: cpuManager,
  }
  const annotations = { [annotation.heartbeat]: new Date().toISOString() }
  try {
    await client.patch(nodes, { name: node }, { metadata: { labels, annotations } }, { type: 'strategic' })
  } catch (error) {
    log.error({ error, node }, 'the heartbeat could not be written')
  }
}

async function beat(options: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  for (let poll = 0; poll < firstPolls && !options.ready() && !signal.aborted; poll++) await pause(firstPollMs, signal)
  while (!signal.aborted) {
    await mark(options, options.ready())
    await pause(periodMs * (1 + jitter * Math.random()), signal)
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined)

async function hasStaticCpuManager(kubeletRoot: string): Promise<boolean> {
  try {
    const state = JSON.parse(await readFile(`${kubeletRoot}/cpu_manager_state`, 'utf8')) as { policyName?: string }
    return state.policyName === 'static'
  } catch {
    return false
  }
}
