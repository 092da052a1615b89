import type { Pod } from '@kubevirt-ts/api'
import { isRejected, maxScore, type NodeInfo, type PodInfo } from '@kubevirt-ts/scheduling'
import type { CycleState } from './cycle-state.ts'
import { PluginFailure, trusting, type Guard } from './guard.ts'
import type { ExtensionPoint, Maybe, Plugin, PostFilterResult } from './plugin.ts'
import { by, failure, messageOf, statusOf, type Status } from './status.ts'
import type { WaitingPods } from './waiting-pods.ts'

/** A plugin at a point of a profile. */
export interface EnabledPlugin {
  readonly plugin: Plugin
  /** For scores; 1 unless told. */
  readonly weight?: number
  readonly guard?: Guard
}

export interface FrameworkOptions {
  readonly schedulerName: string
  readonly plugins: Readonly<Record<ExtensionPoint, readonly EnabledPlugin[]>>
  readonly waitingPods: WaitingPods
  readonly percentageOfNodesToScore?: number
  /** Told how long each point took, in seconds. */
  readonly onPoint?: (point: string, seconds: number, code: string) => void
}

export interface PreFilterOutcome {
  readonly status: Status
  readonly nodeNames?: ReadonlySet<string>
  /** Plugins that narrowed the nodes down. */
  readonly narrowedBy: readonly string[]
}

const success = statusOf('Success')

/** One profile: runs its plugins at each point as Kubernetes' framework does. */
export class Framework {
  readonly schedulerName: string
  readonly percentageOfNodesToScore: number | undefined
  readonly #options: FrameworkOptions

  constructor(options: FrameworkOptions) {
    this.#options = options
    this.schedulerName = options.schedulerName
    this.percentageOfNodesToScore = options.percentageOfNodesToScore
  }

  at(point: ExtensionPoint): readonly EnabledPlugin[] {
    return this.#options.plugins[point]
  }

  /** A plugin's say on which events help it. */
  plugin(name: string): Plugin | undefined {
    for (const list of Object.values(this.#options.plugins)) {
      const found = list.find(({ plugin }) => plugin.name === name)
      if (found !== undefined) return found.plugin
    }
    return undefined
  }

  /** Tells each plugin once that scheduling begins. */
  start(signal: AbortSignal, onError: (error: unknown) => void): void {
    const started = new Set<Plugin>()
    for (const entry of Object.values(this.#options.plugins).flat()) {
      if (started.has(entry.plugin)) continue
      started.add(entry.plugin)
      try {
        void this.#call(entry, 'start', (plugin) => plugin.start?.(signal))
      } catch (error) {
        onError(error)
      }
    }
  }

  preEnqueue(pod: Pod): Status {
    for (const entry of this.at('preEnqueue')) {
      try {
        const status = this.#call(entry, 'preEnqueue', (plugin) => plugin.preEnqueue!(pod)) as Status
        if (status.code !== 'Success') return by(entry.plugin.name, status)
      } catch (error) {
        return statusOfThrown(error, entry)
      }
    }
    return success
  }

  async preFilter(pod: Pod, cycle: CycleState): Promise<PreFilterOutcome> {
    let nodeNames: ReadonlySet<string> | undefined
    const narrowedBy: string[] = []
    for (const entry of this.at('preFilter')) {
      const { name } = entry.plugin
      const result = await this.#asking(entry, 'preFilter', async (plugin) => plugin.preFilter!(pod, cycle))
      if ('code' in result) return { status: result, narrowedBy }
      const { status } = result
      if (status.code === 'Skip') cycle.skipFilter.add(name)
      else if (status.code !== 'Success') return { status: by(name, status), narrowedBy }
      if (result.nodeNames === undefined) continue
      narrowedBy.push(name)
      nodeNames = intersection(nodeNames, result.nodeNames)
      if (nodeNames.size === 0) return { status: nothingLeft(narrowedBy), nodeNames, narrowedBy }
    }
    return { status: success, narrowedBy, ...(nodeNames === undefined ? {} : { nodeNames }) }
  }

  /** The first verdict but Success. An Error ends the cycle, so it is thrown. */
  filter(pod: Pod, node: NodeInfo, cycle: CycleState): Maybe<Status> {
    const entries = this.at('filter')
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]!
      if (cycle.skipFilter.has(entry.plugin.name)) continue
      const status = this.#call(entry, 'filter', (plugin) => plugin.filter!(pod, node, cycle))
      if (status instanceof Promise) return this.#filterOn(status, pod, node, cycle, index)
      if (status.code !== 'Success') return refusal(entry.plugin.name, status)
    }
    return success
  }

  async #filterOn(first: Promise<Status>, pod: Pod, node: NodeInfo, cycle: CycleState, from: number): Promise<Status> {
    const entries = this.at('filter')
    let status = await first
    for (let index = from; ;) {
      if (status.code !== 'Success') return refusal(entries[index]!.plugin.name, status)
      index += 1
      while (index < entries.length && cycle.skipFilter.has(entries[index]!.plugin.name)) index += 1
      if (index >= entries.length) return success
      status = await this.#call(entries[index]!, 'filter', (plugin) => plugin.filter!(pod, node, cycle))
    }
  }

  /** What would change were the other pod on the node; `cycle` is a copy of the pod's own. */
  addPod(pod: Pod, added: PodInfo, node: NodeInfo, cycle: CycleState): void {
    for (const entry of this.at('preFilter')) {
      if (!cycle.skipFilter.has(entry.plugin.name)) {
        void this.#call(entry, 'addPod', (plugin) => plugin.addPod?.(pod, added, node, cycle))
      }
    }
  }

  removePod(pod: Pod, removed: PodInfo, node: NodeInfo, cycle: CycleState): void {
    for (const entry of this.at('preFilter')) {
      if (!cycle.skipFilter.has(entry.plugin.name)) {
        void this.#call(entry, 'removePod', (plugin) => plugin.removePod?.(pod, removed, node, cycle))
      }
    }
  }

  async postFilter(pod: Pod, cycle: CycleState, statuses: ReadonlyMap<string, Status>): Promise<PostFilterResult> {
    const reasons: string[] = []
    for (const entry of this.at('postFilter')) {
      const result = await this.#asking(entry, 'postFilter', async (plugin) => plugin.postFilter!(pod, cycle, statuses))
      if ('code' in result) return { status: result }
      const { status } = result
      if (status.code === 'Success' || status.code === 'UnschedulableAndUnresolvable' || status.code === 'Error') {
        return { ...result, status: by(entry.plugin.name, status) }
      }
      reasons.push(...status.reasons)
    }
    return { status: statusOf('Unschedulable', ...reasons) }
  }

  /** The sum of the weighted scores, in the order of the nodes. Throws a PluginFailure. */
  async score(pod: Pod, nodes: readonly NodeInfo[], cycle: CycleState): Promise<number[]> {
    await this.#preScore(pod, nodes, cycle)
    const totals = nodes.map(() => 0)
    for (const entry of this.at('score')) {
      if (cycle.skipScore.has(entry.plugin.name)) continue
      const scores = await this.#scoresOf(entry, pod, nodes, cycle)
      const { weight = 1 } = entry
      for (let index = 0; index < totals.length; index++) totals[index]! += scores[index]! * weight
    }
    return totals
  }

  async #preScore(pod: Pod, nodes: readonly NodeInfo[], cycle: CycleState): Promise<void> {
    for (const entry of this.at('preScore')) {
      const { name } = entry.plugin
      const status = await this.#call(entry, 'preScore', (plugin) => plugin.preScore!(pod, nodes, cycle))
      if (status.code === 'Skip') cycle.skipScore.add(name)
      else if (status.code !== 'Success') throw new PluginFailure(name, 'preScore', new Error(messageOf(status)))
    }
  }

  async #scoresOf(entry: EnabledPlugin, pod: Pod, nodes: readonly NodeInfo[], cycle: CycleState): Promise<number[]> {
    const { name } = entry.plugin
    const scores: number[] = []
    for (const node of nodes) {
      const score = this.#call(entry, 'score', (plugin) => plugin.score!(pod, node, cycle))
      scores.push(score instanceof Promise ? await score : score)
    }
    await this.#call(entry, 'normalizeScore', (plugin) => plugin.normalizeScore?.(pod, scores, nodes, cycle))
    const wrong = scores.find((score) => !(score >= 0 && score <= maxScore))
    if (wrong !== undefined) {
      throw new PluginFailure(name, 'score', new Error(`the score ${wrong} is not between 0 and ${maxScore}`))
    }
    return scores
  }

  async reserve(pod: Pod, node: string, cycle: CycleState): Promise<Status> {
    for (const entry of this.at('reserve')) {
      const status = await this.#asking(
        entry,
        'reserve',
        async (plugin) => plugin.reserve?.(pod, node, cycle) ?? success,
      )
      if (status.code !== 'Success') return by(entry.plugin.name, status)
    }
    return success
  }

  /** All of them, last first; one that fails does not keep the others from it. */
  async unreserve(pod: Pod, node: string, cycle: CycleState, onError: (error: unknown) => void): Promise<void> {
    for (const entry of this.at('reserve').toReversed()) {
      try {
        await this.#call(entry, 'unreserve', (plugin) => plugin.unreserve?.(pod, node, cycle))
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Success, a refusal, or Wait with each waiting plugin's time-out. */
  async permit(
    pod: Pod,
    node: string,
    cycle: CycleState,
  ): Promise<{ readonly status: Status; readonly timeouts: ReadonlyMap<string, number> }> {
    const timeouts = new Map<string, number>()
    for (const entry of this.at('permit')) {
      const { name } = entry.plugin
      const result = await this.#asking(entry, 'permit', async (plugin) => plugin.permit!(pod, node, cycle))
      if ('code' in result) return { status: result, timeouts }
      const { status, timeoutMs = maxPermitMs } = result
      if (status.code === 'Wait') timeouts.set(name, Math.min(timeoutMs, maxPermitMs))
      else if (status.code !== 'Success') return { status: by(name, status), timeouts }
    }
    return { status: timeouts.size > 0 ? statusOf('Wait') : success, timeouts }
  }

  waitOnPermit(pod: Pod, timeouts: ReadonlyMap<string, number>): Promise<Status> {
    return this.#options.waitingPods.wait(pod.metadata.uid ?? '', timeouts)
  }

  async preBind(pod: Pod, node: string, cycle: CycleState): Promise<Status> {
    for (const entry of this.at('preBind')) {
      const status = await this.#asking(entry, 'preBind', async (plugin) => plugin.preBind!(pod, node, cycle))
      if (status.code !== 'Success') return by(entry.plugin.name, status)
    }
    return success
  }

  async bind(pod: Pod, node: string, cycle: CycleState): Promise<Status> {
    for (const entry of this.at('bind')) {
      const status = await this.#asking(entry, 'bind', async (plugin) => plugin.bind!(pod, node, cycle))
      if (status.code !== 'Skip') return by(entry.plugin.name, status)
    }
    return failure(new Error(`profile ${this.schedulerName} has no plugin that binds this pod`))
  }

  async postBind(pod: Pod, node: string, cycle: CycleState, onError: (error: unknown) => void): Promise<void> {
    for (const entry of this.at('postBind')) {
      try {
        await this.#call(entry, 'postBind', (plugin) => plugin.postBind!(pod, node, cycle))
      } catch (error) {
        onError(error)
      }
    }
  }

  #call<T>({ plugin, guard = trusting }: EnabledPlugin, point: string, work: (plugin: Plugin) => Maybe<T>): Maybe<T> {
    return guard.call(plugin.name, point, () => work(plugin))
  }

  /** A throw becomes an Error status. */
  async #asking<T>(entry: EnabledPlugin, point: string, work: (plugin: Plugin) => Promise<T>): Promise<T | Status> {
    const started = performance.now()
    try {
      const result = await this.#call(entry, point, work)
      this.#options.onPoint?.(point, (performance.now() - started) / 1000, 'Success')
      return result
    } catch (error) {
      this.#options.onPoint?.(point, (performance.now() - started) / 1000, 'Error')
      return statusOfThrown(error, entry)
    }
  }
}

const maxPermitMs = 15 * 60_000

function refusal(plugin: string, status: Status): Status {
  if (isRejected(status)) return by(plugin, status)
  throw new PluginFailure(plugin, 'filter', status.error ?? new Error(messageOf(status)))
}

function statusOfThrown(error: unknown, { plugin }: EnabledPlugin): Status {
  return error instanceof PluginFailure ? error.status : failure(error, plugin.name)
}

function intersection(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === undefined ? b : new Set([...a].filter((name) => b.has(name)))
}

function nothingLeft(plugins: readonly string[]): Status {
  const message =
    plugins.length === 1
      ? `node(s) didn't satisfy plugin ${plugins[0]}`
      : `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}] simultaneously`
  return { ...statusOf('UnschedulableAndUnresolvable', message), plugin: plugins[0]! }
}
