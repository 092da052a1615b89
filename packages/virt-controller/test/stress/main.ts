/**
 * virt-controller, as it is started in a cluster, against a real API server behind a proxy that makes things go wrong:
 * `node packages/virt-controller/test/stress/main.ts --programs DIR [--histories 1000] [--steps 8] [--seed N] [--only NAME,NAME]`.
 * What the programs logged stays where a scenario failed.
 */
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { defineOptions, parseOptions } from '@kubevirt-ts/service'
import { startControlPlane } from './control-plane.ts'
import { scenarios } from './scenarios.ts'

const options = parseOptions(
  defineOptions({
    programs: { flag: 'programs', type: 'string', default: '', help: 'Folder of etcd and kube-apiserver.' },
    histories: { flag: 'histories', type: 'number', default: 40, help: 'Random VM histories in all, over the faults.' },
    steps: { flag: 'steps', type: 'number', default: 6, help: 'Actions of each history.' },
    parallel: { flag: 'parallel', type: 'number', default: 20, help: 'Histories at once.' },
    seed: { flag: 'seed', type: 'number', default: Date.now() % 1_000_000_000, help: 'The first history.' },
    patience: { flag: 'patience', type: 'number', default: 300, help: 'Seconds that a step may take.' },
    only: { flag: 'only', type: 'list', default: [], help: 'Scenarios by their names, with commas between.' },
  }),
  process.argv.slice(2),
  {},
  { name: 'stress' },
)

/** A build that a local cluster left behind. */
async function cachedPrograms(): Promise<string> {
  const cache = join(homedir(), '.cache', 'kubevirt-ts', 'programs')
  const builds = (await readdir(cache).catch(() => [])).filter((name) => name.startsWith('kubernetes-'))
  const [build] = builds
  if (build === undefined)
    throw new Error(`${cache} holds no build of Kubernetes: run npm run cluster -- up, or give --programs`)
  return join(cache, build)
}

const wanted = scenarios.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
const programs = options.programs === '' ? await cachedPrograms() : options.programs
console.log(`seed ${options.seed}`)
// What was started ends with this process, also when that is interrupted.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
let failures = 0
const plane = await startControlPlane(programs)
for (const [index, { name, run }] of wanted.entries()) {
  const since = Date.now()
  try {
    const share = Math.max(1, Math.round(options.histories / wanted.length))
    const told = await run(plane, { ...options, seed: options.seed + index * 100_000, histories: share })
    console.log(`ok    ${name}: ${told} (${Math.round((Date.now() - since) / 1000)} s)`)
  } catch (error) {
    failures += 1
    plane.keepLogs()
    console.log(`FAIL  ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}
await plane[Symbol.asyncDispose]()
// Histories beside one that failed would go on to wait.
process.exit(failures === 0 ? 0 : 1)
