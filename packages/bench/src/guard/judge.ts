import type { Row } from '../row.ts'

/** What a row may show at most. */
export type Limit = {
  readonly atMost: number
  /** By how much more, as a part of it, since machines are noisy; counts have none. */
  readonly noise: number
  /** The same for a second look in the same run; absent: `noise`. */
  readonly again?: number
}

export type Limits = Readonly<Record<string, Limit>>

export type Verdict = {
  readonly row: string
  readonly value: number
  readonly allowed: number
  readonly holds: boolean
}

/** Compares each limited row with its limit. A row that was not measured does not hold. */
export function judge(rows: readonly Row[], limits: Limits): Verdict[] {
  return Object.entries(limits).map(([row, { atMost, noise }]) => {
    const value = rows.find(({ name }) => name === row)?.value ?? NaN
    const allowed = atMost * (1 + noise)
    return { row, value, allowed, holds: value <= allowed }
  })
}
