import { readFileSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { maxNodes, nodeAddressesOf } from '../addresses.ts'
import { read } from '../api-server.ts'
import { nodeName, nodesOf } from '../cluster.ts'
import type { Cluster } from '../cluster.ts'
import { ensureKubeconfig, programKubeconfig } from '../control-plane/certificates.ts'
import { Failure } from '../failure.ts'
import { registryAddressOf } from '../images/registry.ts'
import { plugIn } from '../network.ts'
import { cacheDir, packageDir } from '../paths.ts'
import { certificateFiles, ensureCertificate } from '../pki.ts'
import { createCgroup, removeCgroup } from '../process/cgroup.ts'
import { daemonLog, daemonStart, endDaemon, ensureDaemon, runningDaemon, tail } from '../process/daemon.ts'
import type { DaemonHome } from '../process/daemon.ts'
import { parseStat } from '../process/identity.ts'
import { waitUntil } from '../process/wait.ts'
import {
  containerdConfig,
  kubeProxyConfig,
  kubeletConfig,
  nodeCgroup,
  podNetworkConfig,
  registryConfig,
} from './config.ts'

const nodeDir = ({ state }: Pick<Cluster, 'state'>, name: string): string => join(state, 'nodes', name)

// Beside the pods' group, not above it: in cgroup v2 a group holds processes or groups.
const nodeHome = (cluster: Cluster, node: number): DaemonHome => ({
  state: cluster.state,
  cgroup: `${nodeCgroup(cluster, node)}-programs`,
})

/**
 * Makes sure that a node runs; it becomes Ready later.
 * @returns whether it had to be started
 */
export async function ensureNode(cluster: Cluster, node: number, programs: string): Promise<boolean> {
  const name = nodeName(cluster, node)
  if (runningDaemon(cluster, name)) return false
  await clearNode(cluster, node)
  await writeNodeFiles(cluster, node)
  createCgroup(nodeCgroup(cluster, node))
  createCgroup(nodeHome(cluster, node).cgroup)
  await ensureDaemon(nodeHome(cluster, node), {
    name,
    argv: [
      'unshare',
      '--net',
      '--mount',
      '--uts',
      '--ipc',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      '--propagation',
      'private',
      packageDir('node/node.sh'),
    ],
    env: nodeEnvironment(cluster, node, programs),
    ready: async () => firstProcessOf(cluster, name) !== undefined,
  })
  await plugIn(cluster, node, firstProcessOf(cluster, name) ?? 0)
  return true
}

/** The process that is number 1 inside of a node, as the host numbers it. */
export function firstProcessOf(cluster: Pick<Cluster, 'state'>, name: string): number | undefined {
  const outer = runningDaemon(cluster, name)
  if (!outer) return undefined
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => pid > 0 && parentOf(pid) === outer.pid)
}

function parentOf(pid: number): number | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).parent
  } catch {
    return undefined
  }
}

/** Ends a node as a power cut would, with everything that runs on it. */
export async function endNode(cluster: Cluster, node: number): Promise<void> {
  const name = nodeName(cluster, node)
  const first = firstProcessOf(cluster, name)
  if (first) process.kill(first, 'SIGKILL')
  await clearNode(cluster, node)
}

async function clearNode(cluster: Cluster, node: number): Promise<void> {
  await endDaemon(cluster, nodeName(cluster, node))
  for (const group of [nodeCgroup(cluster, node), nodeHome(cluster, node).cgroup]) {
    if (await removeCgroup(group)) continue
    throw new Failure('ProcessesLeft', `processes of node ${nodeName(cluster, node)} do not end`, {
      output: `cgroup ${group}`,
      remedy: 'a process that waits for a device cannot be ended: restart the machine',
    })
  }
}

function nodeEnvironment(cluster: Cluster, node: number, programs: string): Record<string, string> {
  const others = Array.from({ length: maxNodes }, (_, i) => i + 1).filter((other) => other !== node)
  const route = (other: number) => {
    const { pods, address } = nodeAddressesOf(cluster.slot, other)
    return `${pods} ${address}`
  }
  return {
    NODE_NAME: nodeName(cluster, node),
    NODE_DIR: nodeDir(cluster, nodeName(cluster, node)),
    PROGRAMS: programs,
    CACHE: cacheDir(),
    NODE_ADDRESS: nodeAddressesOf(cluster.slot, node).addressWithPrefix,
    SERVICE_RANGE: cluster.addresses.services,
    // A route to every node that may ever be, so that a new one changes nothing on the others.
    POD_ROUTES: others.map(route).join('\n'),
  }
}

async function writeNodeFiles(cluster: Cluster, node: number): Promise<void> {
  const name = nodeName(cluster, node)
  const etc = join(nodeDir(cluster, name), 'etc')
  await mkdir(join(etc, 'cni'), { recursive: true })
  await mkdir(join(etc, 'registries', '_default'), { recursive: true })
  await mkdir(join(nodeDir(cluster, name), 'logs'), { recursive: true })
  await writeFile(join(etc, 'containerd.toml'), containerdConfig())
  await writeFile(join(etc, 'registries', '_default', 'hosts.toml'), registryConfig(registryAddressOf(cluster)))
  await writeFile(join(etc, 'cni', '10-pods.conflist'), JSON.stringify(podNetworkConfig(cluster, node)))
  await writeFile(join(etc, 'kubelet.json'), JSON.stringify(kubeletConfig(cluster, node)))
  await writeFile(join(etc, 'kube-proxy.json'), JSON.stringify(kubeProxyConfig(cluster)))
  await writeNodeIdentity(cluster, node, etc)
}

async function writeNodeIdentity(cluster: Cluster, node: number, etc: string): Promise<void> {
  const name = nodeName(cluster, node)
  await ensureCertificate(cluster.pki, name, 'ca', {
    commonName: `system:node:${name}`,
    organization: 'system:nodes',
    hosts: [name, nodeAddressesOf(cluster.slot, node).address],
  })
  const files = certificateFiles(cluster.pki, name)
  await copyFile(files.certificate, join(etc, 'kubelet.crt'))
  await copyFile(files.key, join(etc, 'kubelet.key'))
  await copyFile(certificateFiles(cluster.pki, 'ca').certificate, join(etc, 'ca.crt'))
  await copyFile(programKubeconfig(cluster, 'kube-proxy'), join(etc, 'kube-proxy.kubeconfig'))
  await ensureKubeconfig(cluster, name, join(etc, 'kubelet.kubeconfig'))
}

type NodeCondition = { readonly type: string; readonly status: string; readonly lastHeartbeatTime?: string }
type NodeObject = {
  readonly metadata: { readonly name: string }
  readonly status?: { readonly conditions?: readonly NodeCondition[] }
}

/** Names of the nodes that are Ready, by the word of a kubelet that has spoken since the node's last start. */
export async function readyNodes(cluster: Cluster): Promise<string[]> {
  const nodes = await read<{ readonly items: readonly NodeObject[] }>(cluster, '/api/v1/nodes')
  const names = (nodes?.items ?? []).filter(({ metadata, status }) =>
    saysReady(status?.conditions ?? [], daemonStart(cluster, metadata.name)),
  )
  return names.map(({ metadata }) => metadata.name)
}

/** Whether conditions say Ready, and say so since a time in milliseconds. Kubernetes' times are whole seconds. */
export function saysReady(conditions: readonly NodeCondition[], since: number): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready')
  return ready?.status === 'True' && Date.parse(ready.lastHeartbeatTime ?? '') >= Math.floor(since / 1000) * 1000
}

/** How long a node may take to become Ready beside everything else that the machine does. */
const nodeMs = 300_000

/**
 * Waits until every node is Ready.
 * @throws Failure that names those that are not
 */
export async function waitForNodes(cluster: Cluster): Promise<void> {
  const names = nodesOf(cluster).map((node) => nodeName(cluster, node))
  const missing = async () => {
    const ready = await readyNodes(cluster)
    return names.filter((name) => !ready.includes(name))
  }
  if (await waitUntil(async () => (await missing()).length === 0, { timeout: nodeMs, every: 250 })) return
  const left = await missing()
  const name = left[0] ?? ''
  const log = join(nodeDir(cluster, name), 'logs', 'kubelet.log')
  throw new Failure('NodeNotReady', `not Ready after ${nodeMs / 1000} s: ${left.join(', ')}`, {
    output: tail(log) || tail(daemonLog(cluster, name)),
    log,
    remedy: 'read the logs beside this one, too: containerd.log and kube-proxy.log',
  })
}
