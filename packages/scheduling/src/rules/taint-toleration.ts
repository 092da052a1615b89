import type { Toleration } from '@kubevirt-ts/api'
import { excluding, tolerates, untolerated } from '../pod/tolerations.ts'
import { normalizeByMaximum, prepared, type FilterRule, type ScoreRule } from '../rule.ts'
import { success, unresolvable } from '../verdict.ts'

const refusal = unresolvable('node(s) had untolerated taint(s)')

type Tolerations = readonly Toleration[]

/** Keeps pods from nodes with a NoSchedule or NoExecute taint that they do not tolerate. */
export const taintToleration: FilterRule<Tolerations> = {
  name: 'TaintToleration',
  prepare: ({ pod }) => prepared(pod.spec.tolerations ?? []),
  filter: (tolerations, { node }) =>
    untolerated(node.spec?.taints, tolerations, excluding) === undefined ? success : refusal,
}

/** Prefers nodes with few untolerated PreferNoSchedule taints. */
export const taintTolerationScore: ScoreRule<Tolerations> = {
  name: 'TaintToleration',
  prepare: ({ pod }) => (pod.spec.tolerations ?? []).filter(({ effect }) => !effect || effect === 'PreferNoSchedule'),
  score: (tolerations, { node }) =>
    (node.spec?.taints ?? []).filter(
      (taint) => taint.effect === 'PreferNoSchedule' && !tolerations.some((each) => tolerates(each, taint)),
    ).length,
  normalize: (_tolerations, scores) => normalizeByMaximum(scores, { reverse: true }),
}
