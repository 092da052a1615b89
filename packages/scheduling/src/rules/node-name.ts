import { prepared, type FilterRule } from '../rule.ts'
import { success, unresolvable } from '../verdict.ts'

const refusal = unresolvable("node(s) didn't match the requested node name")

/** A pod that names its node only fits there. */
export const nodeName: FilterRule<string> = {
  name: 'NodeName',
  prepare: ({ pod }) => prepared(pod.spec.nodeName ?? ''),
  filter: (wanted, { name }) => (wanted === '' || wanted === name ? success : refusal),
}
