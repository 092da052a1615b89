import { expect, test } from '@jest/globals'
import { live, type Outcome } from './migration-limits/life.ts'

/** `MIGRATION_SCHEDULES=1000` is the long form; `MIGRATION_SEED` begins elsewhere. */
const schedules = Number(process.env['MIGRATION_SCHEDULES'] ?? 12)
const firstSeed = Number(process.env['MIGRATION_SEED'] ?? 1)

test(`${schedules} random schedules from seed ${firstSeed}: the limits hold, whoever leads and however late its caches are`, async () => {
  const results: Outcome[] = []
  for (let seed = firstSeed; seed < firstSeed + schedules; seed++) results.push(await live(seed))

  expect(results.flatMap(({ broken }) => broken)).toEqual([])
  const sum = (count: (result: Outcome) => number) => results.reduce((all, one) => all + count(one), 0)
  // Where nothing moves and nobody follows anybody nothing is proved.
  expect(sum(({ moved }) => moved)).toBeGreaterThan(schedules / 2)
  expect(sum(({ leaders }) => leaders)).toBeGreaterThan(schedules)
}, 3_600_000)
