import { clusterStatus, kubeconfigPath } from '@kubevirt-ts/dev-cluster'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import { parseBenchOptions, type BenchOptions } from './options.ts'
import { randomFrom } from './measure/random.ts'
import { writeFinding } from './report/write.ts'
import { consoleRate } from './rows/console.ts'
import { guestBoot } from './rows/guest-boot.ts'
import { launcherCalls } from './rows/launcher-calls.ts'
import { launcherMemory } from './rows/launcher-memory.ts'
import { componentMemory } from './rows/component-memory.ts'
import { migration } from './rows/migration.ts'
import { nodeAgent } from './rows/node-agent.ts'
import { virtctlStart } from './rows/virtctl-start.ts'
import { vmiEnd } from './rows/vmi-end.ts'
import { vmiStart } from './rows/vmi-start.ts'
import type { Bench, Row } from './row.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios/index.ts'

// Memory at rest comes first: the other rows leave caches behind.
const measurements: readonly (readonly [name: string, measure: (bench: Bench) => Promise<readonly Row[]>])[] = [
  ['component-memory', componentMemory],
  ['vmi-start', vmiStart],
  ['guest-boot', guestBoot],
  ['launcher-memory', launcherMemory],
  ['launcher-calls', launcherCalls],
  ['vmi-end', vmiEnd],
  ['node-agent', nodeAgent],
  ['migration', migration],
  ['console', consoleRate],
  ['virtctl-start', virtctlStart],
]

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Measures what the command line asks for, prints a table and writes it as JSON. */
export async function runBench(argv: readonly string[]): Promise<void> {
  const asked = parseBenchOptions(argv, { rows: measurements.map(([name]) => name), scenarios })
  if (asked.what === 'rows') return writeFinding('result', { rows: await measureRows(asked) })
  const { scenario, options, size } = asked
  say(`${size.nodes} fake nodes: a pod starts in ${size.startMs} ms, its guest in ${size.guestMs} ms`)
  const finding = await runScenario(scenario, options, size, say)
  await writeFinding(scenario.name, { ...finding, details: { ...finding.details, options, size } })
}

/** Real guests, on a local cluster with the product installed. */
async function measureRows({ cluster, runs, seed, only }: BenchOptions & { what: 'rows' }): Promise<Row[]> {
  const status = await clusterStatus(cluster)
  if (!status.ready) {
    throw new VirtError('ClusterNotRunning', `cluster ${cluster} is not running; start it with: npm run demo`)
  }
  const config = await loadConfig({ kubeconfig: kubeconfigPath(cluster) })
  const client = createClient(config, { userAgent: 'kubevirt-ts-bench', qps: 1000, burst: 1000 })
  say(`random waits by --seed ${seed}`)
  const bench: Bench = { client, namespace: 'bench', runs, random: randomFrom(seed), say }
  const rows: Row[] = []
  for (const [name, measure] of measurements) {
    if (only.length > 0 && !only.includes(name)) continue
    say(`measuring ${name} …`)
    const measured = await measure(bench)
    for (const { name: row, value, unit } of measured) say(`  ${row}: ${value.toFixed(2)} ${unit}`)
    rows.push(...measured)
  }
  await client.close()
  return rows
}
