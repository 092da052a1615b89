import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Verdict } from '../guard/judge.ts'
import { describeMachine } from '../machine.ts'
import { renderTable } from '../row.ts'
import type { Finding } from '../scenarios/scenario.ts'
import { picture } from './picture.ts'

/** Folder of all results. */
export const resultsDir = join('.cache', 'bench')

/** Prints a finding as a table, and writes it as JSON and, where it has charts, as a picture. */
export async function writeFinding(name: string, finding: Finding): Promise<void> {
  const { rows, charts = [], verdicts = [], details = {} } = finding
  const machine = await describeMachine()
  process.stdout.write(renderTable(rows, machine))
  await mkdir(resultsDir, { recursive: true })
  await writeFile(
    join(resultsDir, `${name}.json`),
    `${JSON.stringify({ name, machine, rows, verdicts, details }, null, 2)}\n`,
  )
  if (verdicts.length > 0) tellVerdicts(verdicts)
  if (charts.length > 0) await writeFile(join(resultsDir, `${name}.svg`), picture(charts))
}

/** One line each and a closing line as the test runner has it; a verdict that does not hold fails the command. */
function tellVerdicts(verdicts: readonly Verdict[]): void {
  const failed = verdicts.filter(({ holds }) => !holds)
  for (const { row, value, allowed, holds } of verdicts) {
    const figures = `${value.toFixed(3)}, allowed ${allowed.toFixed(3)}`
    process.stdout.write(`${holds ? 'ok ' : 'RED'}  ${row}: ${figures}\n`)
  }
  process.stdout.write(`${verdicts.length - failed.length} passed, ${failed.length} failed\n`)
  if (failed.length > 0) process.exitCode = 1
}
