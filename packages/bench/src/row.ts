import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Machine } from './machine.ts'

/** What a measurement works with. */
export type Bench = {
  readonly client: KubeClient
  readonly namespace: string
  readonly runs: number
  /** From 0 to 1, by the seed that was printed. */
  readonly random: () => number
  readonly say: (line: string) => void
}

/** One figure. With a goal it is met or not; without, it explains another. */
export type Row = {
  readonly name: string
  readonly value: number
  readonly unit: 's' | 'ms' | 'MiB' | 'KiB' | 'x' | '%' | '/s' | 'MB/s' | 'writes' | 'requests'
  /** At most so much. */
  readonly goal?: number
  /** At least so much. */
  readonly atLeast?: number
  readonly detail?: string
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}

export const spread = (values: readonly number[], unit: string): string =>
  `${values.length} runs, ${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)} ${unit}`

export const isMet = ({ value, goal = Infinity, atLeast = -Infinity }: Row): boolean =>
  !Number.isNaN(value) && value <= goal && value >= atLeast

const hasGoal = ({ goal, atLeast }: Row): boolean => goal !== undefined || atLeast !== undefined

function goalOf({ goal, atLeast, unit }: Row): string {
  if (goal !== undefined) return `<= ${goal} ${unit}`
  return atLeast === undefined ? '' : `>= ${atLeast} ${unit}`
}

export function renderTable(rows: readonly Row[], machine: Machine): string {
  const mark = (row: Row) => (hasGoal(row) ? (isMet(row) ? 'ok' : 'RED') : '')
  const cells = rows.map((row) => [
    row.name,
    `${row.value.toFixed(2)} ${row.unit}`,
    goalOf(row),
    mark(row),
    row.detail ?? '',
  ])
  const all = [['row', 'measured', 'goal', '', 'detail'], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  const lines = all.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n\n${machine.date}, commit ${machine.commit}, ${machine.cpus} CPUs (${machine.cpuModel}), ${machine.memoryGiB} GiB, kernel ${machine.kernel}\n`
}
