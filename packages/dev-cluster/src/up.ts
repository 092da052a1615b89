import { join } from 'node:path'
import { applyAddons, waitForDns, waitForMetrics } from './addons/apply.ts'
import { corednsImage } from './addons/coredns.ts'
import { metricsServerImage } from './addons/metrics-server.ts'
import { addressesOf, chooseSlot, maxNodes, slots } from './addresses.ts'
import {
  checkName,
  clusterOf,
  nodeName,
  nodesOf,
  readRecord,
  readRecords,
  requireCluster,
  writeRecord,
} from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { ensureCertificates } from './control-plane/certificates.ts'
import { controlPlaneSteps } from './control-plane/start.ts'
import { Failure } from './failure.ts'
import { pushFilesImage } from './images/files-image.ts'
import { ensurePause, pauseImage } from './images/pause.ts'
import { registryReference, splitReference } from './images/reference.ts'
import { hasImage, registryStep } from './images/registry.ts'
import { changing, choosingSlot, withLock } from './lock.ts'
import { checkMachine, ensureFolder, thisMachine } from './machine.ts'
import { bridgeExists, ensureBridge, requireAddresses } from './network.ts'
import { ensureNode, waitForNodes } from './node/start.ts'
import { cacheDir, defaultCluster, kubeconfigPath, stateDir, stateRoot } from './paths.ts'
import { prepare } from './preparations.ts'
import { goProgram } from './programs/go-build.ts'
import { cachedKubernetes } from './programs/kubernetes.ts'
import { runningDaemon } from './process/daemon.ts'
import { runSteps } from './steps.ts'
import { allowPostCopy, allowWatchers, rememberSysctls } from './sysctls.ts'
import type { Progress, Step } from './steps.ts'
import { together } from './together.ts'
import type { Work } from './together.ts'

export type UpOptions = {
  readonly name?: string
  /** How many nodes at least; a cluster that has more keeps them. */
  readonly nodes?: number
  readonly onProgress?: Progress
  /** Work that needs no cluster, done at the same time on a machine that has been found suitable. */
  readonly meanwhile?: Work
}

/** A running cluster. */
export type RunningCluster = { readonly name: string; readonly nodes: number; readonly kubeconfig: string }

/**
 * Starts a local cluster, or makes a started one whole again. Safe to repeat at any time.
 * @throws Failure
 */
export async function clusterUp({
  name = defaultCluster,
  nodes = 1,
  onProgress,
  meanwhile,
}: UpOptions = {}): Promise<RunningCluster> {
  checkName(name)
  checkNodes(nodes)
  await runSteps([suitableMachine(name)], onProgress)
  const wanted = { name, nodes, kubeconfig: kubeconfigPath(name) }
  await together([
    async (signal) => {
      await prepare(onProgress, signal)
      await withLock(changing(name), () => start(wanted, onProgress, signal))
    },
    ...(meanwhile ? [meanwhile] : []),
  ])
  return { ...wanted, nodes: (await requireCluster(name)).nodes }
}

async function start({ name, nodes }: RunningCluster, onProgress: Progress | undefined, signal: AbortSignal) {
  const cluster = clusterOf(await recordFor(name, nodes))
  await runSteps(await clusterSteps(cluster), onProgress, signal)
}

function checkNodes(nodes: number): void {
  if (Number.isInteger(nodes) && nodes >= 1 && nodes <= maxNodes) return
  throw new Failure('InvalidNodes', `a cluster has 1 to ${maxNodes} nodes, not ${nodes}`, { remedy: 'change --nodes' })
}

const suitableMachine = (name: string): Step => ({
  title: 'machine is suitable',
  async run() {
    const machine = await thisMachine([stateRoot(), cacheDir()])
    // A cluster that runs already has taken its memory.
    const running = runningDaemon({ state: stateDir(name) }, 'kube-apiserver')
    checkMachine(running ? { ...machine, memory: Infinity } : machine)
    await ensureFolder(cacheDir())
  },
})

// The choice of a slot is made by one process at a time.
function recordFor(name: string, nodes: number) {
  return withLock(choosingSlot(), async () => {
    const known = await readRecord(name)
    const record = { name, slot: known?.slot ?? (await freeSlot(name)), nodes: Math.max(nodes, known?.nodes ?? 0) }
    await ensureFolder(stateDir(name))
    await writeRecord(record)
    return record
  })
}

async function freeSlot(name: string): Promise<number> {
  const recorded = (await readRecords()).map(({ slot }) => slot)
  const bridged = Array.from({ length: slots }, (_, slot) => slot).filter((slot) =>
    bridgeExists(addressesOf(slot).bridge),
  )
  const slot = chooseSlot(name, new Set([...recorded, ...bridged]))
  if (slot !== undefined) return slot
  throw new Failure('TooManyClusters', `all ${slots} places for local clusters are taken`, {
    remedy: 'end one: npm run cluster -- down --name NAME',
  })
}

async function clusterSteps(cluster: Cluster): Promise<Step[]> {
  const programs = (await cachedKubernetes()) ?? ''
  return [
    {
      title: 'network bridge',
      async run() {
        await requireAddresses(cluster)
        await ensureBridge(cluster)
        return cluster.addresses.bridge
      },
    },
    { title: 'certificates', run: () => ensureCertificates(cluster) },
    registryStep(cluster),
    ...controlPlaneSteps(cluster, () => programs),
    { title: 'images of the add-ons in the registry', run: () => pushSystemImages(cluster) },
    { title: 'nodes started', run: () => startNodes(cluster, programs) },
    { title: 'add-ons applied', run: async () => ((await applyAddons(cluster)) ? undefined : 'nothing to do') },
    { title: 'nodes Ready', run: () => waitForNodes(cluster) },
    { title: 'cluster DNS ready', run: () => waitForDns(cluster) },
    { title: 'metrics API ready', run: () => waitForMetrics(cluster) },
  ]
}

async function startNodes(cluster: Cluster, programs: string): Promise<string> {
  await rememberSysctls()
  await allowWatchers()
  await allowPostCopy()
  const started: string[] = []
  for (const node of nodesOf(cluster)) {
    if (await ensureNode(cluster, node, programs)) started.push(nodeName(cluster, node))
  }
  return started.join(', ') || 'were running'
}

async function pushSystemImages(cluster: Cluster): Promise<void> {
  const log = join(cluster.state, 'logs', 'images.log')
  const images = [
    { name: pauseImage, path: '/pause', file: await ensurePause(log) },
    { name: corednsImage, path: '/coredns', file: await goProgram('coredns') },
    { name: metricsServerImage, path: '/metrics-server', file: await goProgram('metrics-server') },
  ]
  for (const { name, path, file } of images) {
    const { repository, tag } = splitReference(registryReference(name))
    if (await hasImage(cluster, repository, tag)) continue
    await pushFilesImage(cluster, { name, files: { [path]: file }, entrypoint: [path] })
  }
}
