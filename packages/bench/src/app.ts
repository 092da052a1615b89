import { mkdir, writeFile } from 'node:fs/promises'
import { clusterStatus, kubeconfigPath } from '@kubevirt-ts/dev-cluster'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import { parseBenchOptions } from './options.ts'
import { describeMachine } from './machine.ts'
import { guestBoot } from './rows/guest-boot.ts'
import { launcherMemory } from './rows/launcher-memory.ts'
import { componentMemory } from './rows/component-memory.ts'
import { vmiStart } from './rows/vmi-start.ts'
import { type Bench, type Row, renderTable } from './row.ts'

// Memory at rest comes first: the other rows leave caches behind.
const measurements: readonly (readonly [name: string, measure: (bench: Bench) => Promise<readonly Row[]>])[] = [
  ['component-memory', componentMemory],
  ['vmi-start', vmiStart],
  ['guest-boot', guestBoot],
  ['launcher-memory', launcherMemory],
]

/** Measures the running product of a local cluster, prints a table and writes it as JSON. */
export async function runBench(argv: readonly string[]): Promise<void> {
  const options = parseBenchOptions(
    argv,
    measurements.map(([name]) => name),
  )
  const status = await clusterStatus(options.cluster)
  if (!status.ready) {
    throw new VirtError('ClusterNotRunning', `cluster ${options.cluster} is not running; start it with: npm run demo`)
  }
  const client = createClient(await loadConfig({ kubeconfig: kubeconfigPath(options.cluster) }), {
    userAgent: 'kubevirt-ts-bench',
    qps: 1000,
    burst: 1000,
  })
  const bench: Bench = {
    client,
    namespace: 'bench',
    runs: options.runs,
    say: (line) => process.stderr.write(`${line}\n`),
  }
  const rows: Row[] = []
  for (const [name, measure] of measurements) {
    if (options.only.length > 0 && !options.only.includes(name)) continue
    bench.say(`measuring ${name} …`)
    const measured = await measure(bench)
    for (const { name: row, value, unit } of measured) bench.say(`  ${row}: ${value.toFixed(2)} ${unit}`)
    rows.push(...measured)
  }
  await client.close()
  const machine = await describeMachine()
  process.stdout.write(renderTable(rows, machine))
  await mkdir('.cache/bench', { recursive: true })
  await writeFile('.cache/bench/result.json', `${JSON.stringify({ machine, rows }, null, 2)}\n`)
}
