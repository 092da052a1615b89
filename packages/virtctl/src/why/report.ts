import { domainLink } from './domain.ts'
import type { Fact, Link } from './fact.ts'
import { migrationFacts } from './migratable.ts'
import { nodeLink } from './node.ts'
import { podLink } from './pod.ts'
import { conditionOf } from './seen.ts'
import type { Seen } from './seen.ts'
import { vmLink } from './vm.ts'
import { vmiLink } from './vmi.ts'

/** An answer to one question about the machine, with why not. */
export interface Answer {
  readonly yes: boolean
  /** The facts that make it a no, the deepest first: what is deepest is nearest to the cause. */
  readonly because: readonly Fact[]
}

export interface Report {
  readonly name: string
  readonly namespace: string
  readonly running: Answer
  readonly ready: Answer
  readonly migratable: Answer
  readonly chain: readonly Link[]
  /** What could not be looked at. */
  readonly hidden: readonly string[]
}

/** Why a machine does not run, is not ready or can not move. Pure: everything is in what was seen. */
export function report(seen: Seen): Report {
  const chain = toldOnce([vmLink, vmiLink, podLink, nodeLink, domainLink].flatMap((link) => link(seen)))
  const because = chain.toReversed().flatMap(({ facts }) => facts.filter(({ weight }) => weight === 'blocking'))
  const running = seen.vmi?.status?.phase === 'Running' && conditionOf(seen.vmi, 'Paused')?.status !== 'True'
  const ready = running && conditionOf(seen.vmi, 'Ready')?.status === 'True'
  const moves = migrationFacts(seen)
  const migratable = conditionOf(seen.vmi, 'LiveMigratable')?.status === 'True' && seen.vmi?.status?.phase === 'Running'
  return {
    name: seen.name,
    namespace: seen.namespace,
    running: { yes: running, because: running ? [] : because },
    ready: { yes: ready, because: ready ? [] : because },
    migratable: { yes: migratable, because: moves },
    chain,
    hidden: seen.hidden,
  }
}

/** What a link only hands up from one below it stands there alone, where the words are the nearest to the cause. */
function toldOnce(chain: readonly Link[]): Link[] {
  return chain.map((link, at) => {
    const below = new Set(chain.slice(at + 1).flatMap(({ facts }) => facts.map(({ reason }) => reason)))
    return { ...link, facts: link.facts.filter(({ reason }) => !below.has(reason)) }
  })
}
