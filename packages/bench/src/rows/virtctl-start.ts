import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, spread, type Bench, type Row } from '../row.ts'

const run = promisify(execFile)

const virtctl = fileURLToPath(new URL('../../../virtctl/bin/virtctl', import.meta.url))
const goalMs = 120

/** What a user waits for `virtctl --help`, beside Node with nothing to do, in turns. */
export async function virtctlStart({ runs }: Bench): Promise<readonly Row[]> {
  const help = () => timed(virtctl, ['--help'])
  const bare = () => timed(process.execPath, ['-e', '0'])
  // The first fills the caches: the next ones are what a user sees.
  await help()
  const helps: number[] = []
  const bares: number[] = []
  for (let turn = 0; turn < runs * 3; turn++) {
    bares.push(await bare())
    helps.push(await help())
  }
  return [
    { name: 'node -e 0', value: median(bares), unit: 'ms', detail: spread(bares, 'ms') },
    { name: 'virtctl --help', value: median(helps), unit: 'ms', goal: goalMs, detail: spread(helps, 'ms') },
  ]
}

async function timed(program: string, args: readonly string[]): Promise<number> {
  const started = performance.now()
  await run(program, [...args])
  return performance.now() - started
}
