import type { PodInfo } from './pod/pod-info.ts'
import type { NodeInfo } from './snapshot/node-info.ts'
import type { Snapshot } from './snapshot/snapshot.ts'
import { skip, success, type Verdict } from './verdict.ts'

/** What a rule finds out about a pod before it looks at single nodes. */
export interface Prepared<S> {
  /** Success, Skip, or why the pod fits nowhere. */
  readonly verdict: Verdict
  /** There when the verdict is Success. */
  readonly state?: S
  /** The only nodes worth looking at. */
  readonly nodeNames?: ReadonlySet<string>
}

/** Says on which nodes a pod may run. Pure: the same pod and snapshot give the same answers. */
export interface FilterRule<S = unknown> {
  readonly name: string
  prepare(pod: PodInfo, snapshot: Snapshot): Prepared<S>
  filter(state: S, node: NodeInfo): Verdict
  /** For rules whose state counts other pods: what would change were this pod there, or gone. Changes the state. */
  addPod?(state: S, added: PodInfo, node: NodeInfo): void
  removePod?(state: S, removed: PodInfo, node: NodeInfo): void
  /** For states that `addPod` changes. */
  clone?(state: S): S
}

/** Says which of the nodes that fit is best. */
export interface ScoreRule<S = unknown> {
  readonly name: string
  /** Undefined leaves this rule out for the pod. */
  prepare(pod: PodInfo, feasible: readonly NodeInfo[], snapshot: Snapshot): S | undefined
  /** A whole number; from 0 to `maxScore` unless there is a `normalize`. */
  score(state: S, node: NodeInfo): number
  /** Brings the scores, one for each node, in place to 0..`maxScore`. */
  normalize?(state: S, scores: number[], nodes: readonly NodeInfo[]): void
}

export const maxScore = 100

export function prepared<S>(state: S): Prepared<S> {
  return { verdict: success, state }
}

export const skipped: Prepared<never> = { verdict: skip }

export function refused(verdict: Verdict): Prepared<never> {
  return { verdict }
}

/** Scales so that the highest becomes `maxScore`, or turns it round so that the lowest is best. */
export function normalizeByMaximum(scores: number[], { reverse = false } = {}): void {
  const maximum = scores.reduce((most, score) => Math.max(most, score), 0)
  for (let index = 0; index < scores.length; index++) {
    const scaled = maximum === 0 ? 0 : Math.trunc((maxScore * scores[index]!) / maximum)
    scores[index] = reverse ? maxScore - scaled : scaled
  }
}
