import { expect, test } from '@jest/globals'
import { isMet, median, renderTable } from './row.ts'

const machine = { date: '2026-01-01', commit: 'abc', cpus: 2, cpuModel: 'x', memoryGiB: 24, kernel: '6' }

test('the median of an even count lies between its two middle values', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([3, 1, 2])).toBe(2)
})

test('a goal that is not met stands red in the table', () => {
  const rows = [
    { name: 'good', value: 1, unit: 's', goal: 2 },
    { name: 'bad', value: 3, unit: 's', goal: 2 },
    { name: 'explains', value: 9, unit: 's' },
  ] as const
  expect(rows.map(isMet)).toEqual([true, false, true])
  const lines = renderTable(rows, machine).split('\n')
  expect(lines[1]).toMatch(/good .*ok/)
  expect(lines[2]).toMatch(/bad .*RED/)
  expect(lines[3]).not.toMatch(/ok|RED/)
})
