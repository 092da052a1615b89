import type {
  LabelSelector,
  LabelSelectorRequirement,
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '@kubevirt-ts/api'
import { invalid, oneOf, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { isDnsLabel, isDnsSubdomain, isLabelName, isLabelValue, repeated } from '../names.ts'
import type { Rule } from '../rule.ts'

const required = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'

/** The rules that Kubernetes has for a pod's affinity. The original leaves `affinity` out of the field names. */
export const affinity: Rule = ({ spec, field }) => {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {}
  return [
    ...(nodeAffinity ? nodeCauses(nodeAffinity, `${field}.nodeAffinity`) : []),
    ...(podAffinity ? podCauses(podAffinity, `${field}.podAffinity`) : []),
    ...(podAntiAffinity ? podCauses(podAntiAffinity, `${field}.podAntiAffinity`) : []),
  ]
}

function nodeCauses(given: NodeAffinity, path: string): Cause[] {
  const terms = given[required]?.nodeSelectorTerms ?? []
  const termsPath = `${path}.${required}.nodeSelectorTerms`
  return [
    ...when(given[required] !== undefined && terms.length === 0, () =>
      invalid(termsPath, 'must have at least one node selector term'),
    ),
    ...terms.flatMap((term, index) => nodeTermCauses(term, `${termsPath}[${index}]`)),
    ...(given[preferred] ?? []).flatMap(({ weight, preference }, index) => {
      const at = `${path}.${preferred}[${index}]`
      return [...weightCauses(weight, at), ...nodeTermCauses(preference, `${at}.preference`)]
    }),
  ]
}

const podCauses = (given: PodAffinity, path: string): Cause[] => [
  ...(given[required] ?? []).flatMap((term, index) => podTermCauses(term, `${path}.${required}[${index}]`)),
  ...(given[preferred] ?? []).flatMap(({ weight, podAffinityTerm }, index) => {
    const at = `${path}.${preferred}[${index}]`
    return [...weightCauses(weight, at), ...podTermCauses(podAffinityTerm, `${at}.podAffinityTerm`)]
  }),
]

const weightCauses = (weight: number, path: string): Cause[] =>
  when(weight < 1 || weight > 100, () => invalid(`${path}.weight`, 'must be in the range 1-100'))

const nodeTermCauses = ({ matchExpressions, matchFields }: NodeSelectorTerm, path: string): Cause[] => [
  ...(matchExpressions ?? []).flatMap((each, index) => {
    const at = `${path}.matchExpressions[${index}]`
    return [...operatorCauses(each, at, nodeOperators), ...keyCauses(each.key, at)]
  }),
  ...(matchFields ?? []).flatMap((each, index) => nodeFieldCauses(each, `${path}.matchFields[${index}]`)),
]

/** Of a node's fields only its name can be asked for. */
const nodeFieldCauses = (requirement: NodeSelectorRequirement, path: string): Cause[] => [
  ...operatorCauses(requirement, path, fieldOperators),
  ...when(requirement.key !== 'metadata.name', () =>
    invalid(`${path}.key`, 'not a valid field selector key; use metadata.name'),
  ),
  ...(requirement.key === 'metadata.name' ? (requirement.values ?? []) : []).flatMap((value, index) =>
    when(!isDnsSubdomain(value), () => invalid(`${path}.values[${index}]`, `'${value}' is not the name of a node`)),
  ),
]

const podTermCauses = (term: PodAffinityTerm, path: string): Cause[] => [
  ...(term.labelSelector ? selectorCauses(term.labelSelector, `${path}.labelSelector`) : []),
  ...(term.namespaceSelector ? selectorCauses(term.namespaceSelector, `${path}.namespaceSelector`) : []),
  ...(term.namespaces ?? [])
    .filter((name) => !isDnsLabel(name))
    .map((name) => invalid(`${path}.namespace`, `'${name}' is not the name of a namespace`)),
  ...when(!isLabelName(term.topologyKey), () =>
    invalid(`${path}.topologyKey`, 'must be the name of a label of nodes, for example kubernetes.io/hostname'),
  ),
]

const selectorCauses = ({ matchLabels, matchExpressions }: LabelSelector, path: string): Cause[] => [
  ...Object.entries(matchLabels ?? {}).flatMap(([name, value]) =>
    when(!isLabelName(name) || !isLabelValue(value), () =>
      invalid(`${path}.matchLabels`, `'${name}: ${value}' is not a label`),
    ),
  ),
  ...(matchExpressions ?? []).flatMap((each, index) => {
    const at = `${path}.matchExpressions[${index}]`
    return [
      ...operatorCauses(each, at, selectorOperators),
      ...keyCauses(each.key, at),
      ...(each.values ?? []).flatMap((value, which) =>
        when(!isLabelValue(value), () => invalid(`${at}.values[${which}]`, `'${value}' is not the value of a label`)),
      ),
    ]
  }),
]

type Operators = Readonly<Record<string, (values: number) => boolean>>

const some = (values: number) => values > 0
const none = (values: number) => values === 0
const one = (values: number) => values === 1

/** How many values each operator takes. */
const selectorOperators: Operators = { In: some, NotIn: some, Exists: none, DoesNotExist: none }
const nodeOperators: Operators = { ...selectorOperators, Gt: one, Lt: one }
const fieldOperators: Operators = { In: one, NotIn: one }

function operatorCauses(
  { operator, values = [] }: NodeSelectorRequirement | LabelSelectorRequirement,
  path: string,
  operators: Operators,
): Cause[] {
  const takes = operators[operator]
  if (!takes) return [invalid(`${path}.operator`, `not a valid selector operator; ${oneOf(Object.keys(operators))}`)]
  return when(!takes(values.length), () =>
    invalid(`${path}.values`, `operator ${operator} does not go with ${values.length} values`),
  )
}

const keyCauses = (key: string, path: string): Cause[] =>
  when(!isLabelName(key), () => invalid(`${path}.key`, `'${key}' is not the name of a label`))

const unsatisfiable = ['DoNotSchedule', 'ScheduleAnyway']

/** The rules that Kubernetes has for how pods are spread over nodes. */
export const topologySpread: Rule = ({ spec, field }) => {
  const constraints = spec.topologySpreadConstraints ?? []
  const pairOf = (index: number) => `${constraints[index]!.topologyKey} ${constraints[index]!.whenUnsatisfiable}`
  const twice = new Set(repeated([...constraints.keys()], pairOf))
  return constraints.flatMap(({ maxSkew, topologyKey, whenUnsatisfiable }, index) => {
    const path = `${field}.topologySpreadConstraints[${index}]`
    return [
      ...when(maxSkew < 1, () => invalid(`${path}.maxSkew`, 'must be greater than zero')),
      ...when(!topologyKey, () => invalid(`${path}.topologyKey`, 'can not be empty')),
      ...when(!unsatisfiable.includes(whenUnsatisfiable), () =>
        invalid(`${path}.whenUnsatisfiable`, `'${whenUnsatisfiable}' is not supported; ${oneOf(unsatisfiable)}`),
      ),
      ...when(twice.has(index), () =>
        invalid(`${path}.{topologyKey, whenUnsatisfiable}`, `{${pairOf(index)}} is given twice`),
      ),
    ]
  })
}
