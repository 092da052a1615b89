import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PreferredSchedulingTerm,
} from '@kubevirt-ts/api'

export type NodeTest = (node: Node) => boolean

/** Terms are joined by or, a term's requirements by and. A selector without terms, and an empty term, match no node. */
export function nodeSelectorTest({ nodeSelectorTerms }: NodeSelector): NodeTest {
  const terms = nodeSelectorTerms.filter((term) => !isEmptyTerm(term)).map(termTest)
  return (node) => terms.some((term) => term(node))
}

/** The sum of the weights whose preference matches; empty preferences and weight 0 do not count. */
export function preferredWeight(terms: readonly PreferredSchedulingTerm[]): (node: Node) => number {
  const tests = terms
    .filter(({ weight, preference }) => weight !== 0 && !isEmptyTerm(preference))
    .map(({ weight, preference }) => ({ weight, test: termTest(preference) }))
  return (node) => tests.reduce((sum, { weight, test }) => sum + (test(node) ? weight : 0), 0)
}

function isEmptyTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return (matchExpressions ?? []).length === 0 && (matchFields ?? []).length === 0
}

export function termTest({ matchExpressions, matchFields }: NodeSelectorTerm): NodeTest {
  const labels = (matchExpressions ?? []).map(requirementTest)
  const fields = (matchFields ?? []).map(fieldTest)
  return (node) => fields.every((test) => test(node)) && labels.every((test) => test(node.metadata.labels ?? {}))
}

function requirementTest({
  key,
  operator,
  values = [],
}: NodeSelectorRequirement): (labels: Readonly<Record<string, string>>) => boolean {
  switch (operator) {
    case 'In':
      return (labels) => labels[key] !== undefined && values.includes(labels[key])
    case 'NotIn':
      return (labels) => labels[key] === undefined || !values.includes(labels[key])
    case 'Exists':
      return (labels) => labels[key] !== undefined
    case 'DoesNotExist':
      return (labels) => labels[key] === undefined
    case 'Gt':
      return (labels) => compare(labels[key], values, (label, bound) => label > bound)
    case 'Lt':
      return (labels) => compare(labels[key], values, (label, bound) => label < bound)
    default:
      return () => false
  }
}

const integer = /^[+-]?\d+$/

function compare(
  label: string | undefined,
  [bound = '', ...more]: readonly string[],
  holds: (label: bigint, bound: bigint) => boolean,
): boolean {
  if (label === undefined || more.length > 0 || !integer.test(label) || !integer.test(bound)) return false
  return holds(BigInt(label), BigInt(bound))
}

/** The only field that a node may be asked for is its name. */
function fieldTest({ key, operator, values = [] }: NodeSelectorRequirement): NodeTest {
  if (key !== 'metadata.name' || values.length !== 1) return () => false
  if (operator === 'In') return (node) => node.metadata.name === values[0]
  return operator === 'NotIn' ? (node) => node.metadata.name !== values[0] : () => false
}
