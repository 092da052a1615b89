import { apiServerReady } from './api-server.ts'
import { checkName, clusterOf, nodeName, nodesOf, readRecord } from './cluster.ts'
import { controlPlane } from './control-plane/start.ts'
import { registryAddressOf } from './images/registry.ts'
import { readyNodes } from './node/start.ts'
import { defaultCluster, kubeconfigPath } from './paths.ts'
import { runningDaemon } from './process/daemon.ts'

/** What runs of a cluster. */
export type ClusterStatus = {
  readonly name: string
  /** Whether the cluster exists at all, running or not. */
  readonly exists: boolean
  /** Whether all processes run, the API server is ready and every node is Ready. */
  readonly ready: boolean
  readonly server?: string
  readonly kubeconfig?: string
  /** Host and port of the image registry, plain HTTP. */
  readonly registry?: string
  /** Pid of each of the host's processes; undefined when it does not run. */
  readonly processes: Readonly<Record<string, number | undefined>>
  readonly nodes: readonly { readonly name: string; readonly pid: number | undefined; readonly ready: boolean }[]
}

/** Looks at a cluster; changes nothing. */
export async function clusterStatus(name: string = defaultCluster): Promise<ClusterStatus> {
  checkName(name)
  const record = await readRecord(name)
  if (!record) return { name, exists: false, ready: false, processes: {}, nodes: [] }
  const cluster = clusterOf(record)
  const pidOf = (daemon: string) => runningDaemon(cluster, daemon)?.pid
  const processes = Object.fromEntries(['registry', ...controlPlane].map((daemon) => [daemon, pidOf(daemon)]))
  const apiReady = await apiServerReady(cluster)
  const ready = apiReady ? await readyNodes(cluster) : []
  const nodes = nodesOf(cluster).map((node) => {
    const node_ = nodeName(cluster, node)
    return { name: node_, pid: pidOf(node_), ready: ready.includes(node_) }
  })
  return {
    name,
    exists: true,
    ready: apiReady && Object.values(processes).every(Boolean) && nodes.every((node) => node.pid && node.ready),
    server: cluster.server,
    kubeconfig: kubeconfigPath(name),
    registry: registryAddressOf(cluster),
    processes,
    nodes,
  }
}
