import type { LabelSelector, LabelSelectorRequirement } from '@kubevirt-ts/api'

export type Labels = Readonly<Record<string, string>>

/** A compiled label selector. */
export interface LabelMatcher {
  matches(labels: Labels | undefined): boolean
  /** It has no requirement, so it matches everything. */
  readonly isEmpty: boolean
}

export const matchesNothing: LabelMatcher = { matches: () => false, isEmpty: false }
export const matchesEverything: LabelMatcher = { matches: () => true, isEmpty: true }

type Test = (labels: Labels) => boolean
const none: Labels = {}

/** As `LabelSelectorAsSelector`: an absent selector matches nothing, an empty one everything. */
export function labelMatcher(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined || selector === null) return matchesNothing
  return matcherOf([
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => equals(key, value)),
    ...(selector.matchExpressions ?? []).map(testOf),
  ])
}

/** Both must match; a matcher that matches nothing stays so. */
export function withLabels(matcher: LabelMatcher, labels: Labels): LabelMatcher {
  const entries = Object.entries(labels)
  if (entries.length === 0 || matcher === matchesNothing) return matcher
  const own = entries.map(([key, value]) => equals(key, value))
  return matcherOf(matcher.isEmpty ? own : [(given) => matcher.matches(given), ...own])
}

function matcherOf(tests: readonly Test[]): LabelMatcher {
  if (tests.length === 0) return matchesEverything
  if (tests.length === 1) return { isEmpty: false, matches: (labels = none) => tests[0]!(labels) }
  return { isEmpty: false, matches: (labels = none) => tests.every((test) => test(labels)) }
}

function equals(key: string, value: string): Test {
  return (labels) => labels[key] === value
}

function testOf({ key, operator, values = [] }: LabelSelectorRequirement): Test {
  switch (operator) {
    case 'In':
      return (labels) => labels[key] !== undefined && values.includes(labels[key])
    case 'NotIn':
      return (labels) => labels[key] === undefined || !values.includes(labels[key])
    case 'Exists':
      return (labels) => labels[key] !== undefined
    case 'DoesNotExist':
      return (labels) => labels[key] === undefined
    default:
      return () => false
  }
}
