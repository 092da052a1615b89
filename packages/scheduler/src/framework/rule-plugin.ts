import { podInfoOf, type FilterRule, type ScoreRule } from '@kubevirt-ts/scheduling'
import type { ClusterEvent } from './cluster-event.ts'
import type { CycleState } from './cycle-state.ts'
import type { Plugin } from './plugin.ts'
import { statusOf } from './status.ts'
import type { Pod } from '@kubevirt-ts/api'

/** A rule's state that what-if runs may change. */
class Held<S> {
  readonly state: S
  readonly #rule: FilterRule<S>

  constructor(rule: FilterRule<S>, state: S) {
    this.#rule = rule
    this.state = state
  }

  clone(): Held<S> {
    return this.#rule.clone === undefined ? this : new Held(this.#rule, this.#rule.clone(this.state))
  }
}

export interface RulePluginParts<F, S> {
  readonly filter?: FilterRule<F>
  readonly score?: ScoreRule<S>
  readonly isHelpful?: (event: ClusterEvent, pod: Pod) => boolean
}

/** Rules as a plugin: PreFilter and Filter, PreScore and Score, under the rules' own name. */
export function rulePlugin<F, S>(parts: RulePluginParts<F, S>): Plugin {
  return {
    name: (parts.filter ?? parts.score)!.name,
    ...(parts.filter === undefined ? {} : filterPoints(parts.filter)),
    ...(parts.score === undefined ? {} : scorePoints(parts.score)),
    ...(parts.isHelpful === undefined ? {} : { isHelpful: parts.isHelpful }),
  }
}

/** Under which a filter rule's state is found in the cycle. */
export function filterStateKey(name: string): string {
  return `${name}/filter`
}

/** The state of a rule that ran its PreFilter in this cycle. */
export function filterStateOf<S>(name: string, cycle: CycleState): S | undefined {
  return cycle.read<Held<S>>(filterStateKey(name))?.state
}

const ok = statusOf('Success')

function filterPoints<S>(rule: FilterRule<S>): Partial<Plugin> {
  const key = filterStateKey(rule.name)
  return {
    preFilter: (pod, cycle) => {
      const { verdict, state, nodeNames } = rule.prepare(podInfoOf(pod), cycle.snapshot)
      if (verdict.code === 'Success') cycle.write(key, new Held(rule, state as S))
      return { status: verdict, ...(nodeNames === undefined ? {} : { nodeNames }) }
    },
    filter: (pod, node, cycle) => {
      const held = cycle.read<Held<S>>(key) ?? prepareLate(rule, key, pod, cycle)
      return held === undefined ? ok : rule.filter(held.state, node)
    },
    ...whatIfPoints(rule, key),
  }
}

function whatIfPoints<S>(rule: FilterRule<S>, key: string): Pick<Plugin, 'addPod' | 'removePod'> {
  if (rule.addPod === undefined) return {}
  const stateOf = (cycle: CycleState) => cycle.read<Held<S>>(key)?.state
  return {
    addPod: (_pod, added, node, cycle) => {
      const state = stateOf(cycle)
      if (state !== undefined) rule.addPod!(state, added, node)
      return ok
    },
    removePod: (_pod, removed, node, cycle) => {
      const state = stateOf(cycle)
      if (state !== undefined) rule.removePod!(state, removed, node)
      return ok
    },
  }
}

/** A profile may enable a filter without its PreFilter. */
function prepareLate<S>(rule: FilterRule<S>, key: string, pod: Pod, cycle: CycleState): Held<S> | undefined {
  const { verdict, state } = rule.prepare(podInfoOf(pod), cycle.snapshot)
  if (verdict.code !== 'Success') return undefined
  const held = new Held(rule, state as S)
  cycle.write(key, held)
  return held
}

function scorePoints<S>(rule: ScoreRule<S>): Partial<Plugin> {
  const key = `${rule.name}/score`
  return {
    preScore: (pod, nodes, cycle) => {
      const state = rule.prepare(podInfoOf(pod), nodes, cycle.snapshot)
      if (state === undefined) return statusOf('Skip')
      cycle.write(key, state)
      return ok
    },
    score: (_pod, node, cycle) => {
      const state = cycle.read<S>(key)
      return state === undefined ? 0 : rule.score(state, node)
    },
    ...(rule.normalize === undefined
      ? {}
      : {
          normalizeScore: (_pod, scores, nodes, cycle) => {
            const state = cycle.read<S>(key)
            if (state !== undefined) rule.normalize!(state, scores, nodes)
          },
        }),
  }
}
