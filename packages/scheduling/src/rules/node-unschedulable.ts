import { tolerates } from '../pod/tolerations.ts'
import { prepared, type FilterRule } from '../rule.ts'
import { success, unresolvable } from '../verdict.ts'

const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
const refusal = unresolvable('node(s) were unschedulable')

/** Keeps pods from cordoned nodes, unless they tolerate the taint of cordoned nodes. */
export const nodeUnschedulable: FilterRule<boolean> = {
  name: 'NodeUnschedulable',
  prepare: ({ pod }) => prepared((pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint))),
  filter: (isTolerated, { node }) => (node.spec?.unschedulable === true && !isTolerated ? refusal : success),
}
