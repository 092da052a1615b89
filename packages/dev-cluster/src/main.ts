import { resolve } from 'node:path'
import { requireCluster } from './cluster.ts'
import { clusterDown } from './down.ts'
import { describeFailure } from './failure.ts'
import { loadInto } from './images/load.ts'
import { npmSpokeFirst } from './npm.ts'
import { help, parseOptions } from './options.ts'
import type { Options } from './options.ts'
import { kubeconfigPath } from './paths.ts'
import { progressLines } from './progress-lines.ts'
import { clusterStatus } from './status.ts'
import type { ClusterStatus } from './status.ts'
import { clusterUp } from './up.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

async function run(options: Options): Promise<void> {
  // The whole program, and the commands it starts, look for these in the environment.
  if (options.state) process.env['KUBEVIRT_TS_STATE'] = resolve(options.state)
  if (options.cache) process.env['KUBEVIRT_TS_CACHE'] = resolve(options.cache)
  await actions[options.action](options)
}

const aloneHint =
  'npm wrote lines of its own before the path; this prints the path alone: npm run -s cluster -- kubeconfig'

const progress = progressLines((text) => process.stderr.write(text), process.stderr.isTTY)

const actions: Record<Options['action'], (options: Options) => Promise<void>> = {
  async up({ name, nodes }) {
    const begin = performance.now()
    const { kubeconfig } = await clusterUp({ name, nodes, onProgress: progress })
    print(`cluster ${name} is ready after ${((performance.now() - begin) / 1000).toFixed(1)} s`)
    print(`export KUBECONFIG=${kubeconfig}`)
  },
  down: ({ name }) => clusterDown(name, progress),
  async status({ name, json }) {
    const status = await clusterStatus(name)
    print(json ? JSON.stringify(status, undefined, 2) : statusText(status))
    if (!status.ready) process.exitCode = 1
  },
  async kubeconfig({ name }) {
    await requireCluster(name)
    print(kubeconfigPath(name))
    if (!process.stdout.isTTY && npmSpokeFirst(process.env)) process.stderr.write(`${aloneHint}\n`)
  },
  async 'load-image'({ name, images }) {
    const cluster = await requireCluster(name)
    for (const image of images) for (const loaded of await loadInto(cluster, image)) print(`loaded ${loaded}`)
  },
  async help() {
    print(help)
  },
}

function statusText({ name, exists, ready, processes, nodes, ...places }: ClusterStatus): string {
  if (!exists) return `cluster ${name}: does not exist`
  const rows = [
    ...Object.entries(processes).map(([program, pid]) => [program, pid ? `pid ${pid}` : 'does not run']),
    ...nodes.map((node) => [
      `node ${node.name}`,
      node.pid ? `pid ${node.pid}, ${node.ready ? 'Ready' : 'not Ready'}` : 'does not run',
    ]),
    ...Object.entries(places),
  ]
  return [
    `cluster ${name}: ${ready ? 'ready' : 'not whole'}`,
    ...rows.map(([what = '', how]) => `  ${what.padEnd(24)}${how}`),
  ].join('\n')
}

try {
  await run(parseOptions(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`)
  process.exitCode = 1
}
