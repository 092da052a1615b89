import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../row.ts'
import { judge, type Limits } from './judge.ts'

const limits = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'limits.json'), 'utf8')) as Limits

/** A run that meets every limit exactly. */
const exact: readonly Row[] = Object.entries(limits).map(([name, { atMost }]) => ({ name, value: atMost, unit: 'x' }))

const broken = (rows: readonly Row[]): string[] =>
  judge(rows, limits)
    .filter(({ holds }) => !holds)
    .map(({ row }) => row)

test('a run that meets its limits is green', () => {
  expect(broken(exact)).toEqual([])
})

// A slow machine shows more of the states that a VM passes, so its band is wider.
test.each([
  ['VMI', 1],
  ['VM', 4],
])('for each %s %d writes more turn every count of its writes red', (kind, more) => {
  const counts = Object.keys(limits).filter((name) => name.startsWith(`${kind}: writes by`))
  expect(counts.length).toBeGreaterThan(0)
  expect(broken(exact.map((row) => ({ ...row, value: row.value + more })))).toEqual(expect.arrayContaining(counts))
})

test('a limit with a band of 20 % lets 20 % more pass and finds a slow-down of 30 %', () => {
  const cost = { CPU: { atMost: 40, noise: 0.2 } }
  const holds = (value: number) => judge([{ name: 'CPU', value, unit: 'ms' }], cost).every((verdict) => verdict.holds)
  expect([40, 48, 52].map(holds)).toEqual([true, true, false])
})

test('a row that was not measured is red', () => {
  expect(broken([])).toEqual(Object.keys(limits))
})
