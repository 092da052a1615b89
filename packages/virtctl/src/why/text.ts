import type { Fact, Link } from './fact.ts'
import type { Answer, Report } from './report.ts'

/** Widths of the columns of a chain's line. */
const kindWidth = 8
const nameWidth = 40

/** How long ago, as kubectl shows it: 12s, 5m, 3h, 2d. */
export function age(since: string | undefined, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(since ?? '')) / 1000))
  if (Number.isNaN(seconds)) return ''
  if (seconds < 120) return `${seconds}s`
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** One screen: the verdict, the chain from VM to domain with what stands in the way, and what would cure it. */
export function text(report: Report, now: Date): string {
  const { chain, hidden, migratable } = report
  const moves = migratable.because
  return [
    `${report.namespace}/${report.name}: ${verdict(report)}`,
    '',
    ...chain.flatMap((link) => linkLines(link, now)),
    ...(moves.length > 0 ? ['', 'Migration', ...moves.flatMap((fact) => factLines(fact, now))] : []),
    ...(hidden.length > 0 ? ['', `You may not see ${hidden.join(', ')}; an administrator may see more.`] : []),
  ].join('\n')
}

function verdict({ running, ready, migratable, chain }: Report): string {
  if (!running.yes) return `not running${because(running) || onItsWay(chain)}`
  if (!ready.yes) return `running, but not ready${because(ready)}`
  return migratable.yes ? 'running, ready, can migrate' : `running and ready, can not migrate${because(migratable)}`
}

/** The first fact alone: it is nearest to the cause, and the others stand below. */
const because = ({ because: [cause] }: Answer) => (cause ? `: ${cause.what}` : '')

/** Nothing stands in the way: it only takes its time. */
function onItsWay(chain: readonly Link[]): string {
  const { kind, state } = chain.findLast((link) => link.kind === 'VM' || link.kind === 'VMI')!
  return ` yet: nothing stands in the way, the ${kind} is ${state}`
}

function linkLines({ kind, name, state, since, facts }: Link, now: Date): string[] {
  const old = age(since, now)
  return [
    `${kind.padEnd(kindWidth)}${name.padEnd(nameWidth)} ${state}${old ? ` (${old})` : ''}`,
    ...facts.flatMap((fact) => factLines(fact, now)),
  ]
}

function factLines({ weight, reason, what, since, fix }: Fact, now: Date): string[] {
  const old = age(since, now)
  const indent = ' '.repeat(kindWidth)
  return [
    `${indent}${weight === 'blocking' ? 'x' : '-'} ${what} [${reason}${old ? `, ${old}` : ''}]`,
    ...(fix ? [`${indent}    ${fix}`] : []),
  ]
}
