import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, read } from '../api-server.ts'
import type { Cluster } from '../cluster.ts'
import { Failure } from '../failure.ts'
import { kubeconfigPath } from '../paths.ts'
import { command, tryCommand } from '../process/command.ts'
import { waitUntil } from '../process/wait.ts'
import { toolPath } from '../programs/tools.ts'
import { corednsObjects } from './coredns.ts'
import { metricsServerObjects } from './metrics-server.ts'

const kubectl = (cluster: Cluster): string[] => [toolPath('kubectl'), `--kubeconfig=${kubeconfigPath(cluster.name)}`]

/**
 * Creates the add-ons' objects, or brings them up to date.
 * @returns whether there was anything to do
 */
export async function applyAddons(cluster: Cluster): Promise<boolean> {
  const items = [...corednsObjects(cluster.addresses), ...metricsServerObjects()]
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const record = join(cluster.state, 'addons.sha256')
  const hash = createHash('sha256').update(list).digest('hex')
  const applied = await readFile(record, 'utf8').catch(() => '')
  if (applied === hash && (await deploymentsExist(cluster))) return false
  await command([...kubectl(cluster), 'apply', '--server-side', '--force-conflicts', '-f', '-'], {
    input: list,
    reason: 'AddonsRefused',
  })
  await writeFile(record, hash)
  return true
}

/** How long an add-on may take to start beside everything else that the machine does. */
const addonMs = 300_000

const deployment = (name: string): string => `/apis/apps/v1/namespaces/kube-system/deployments/${name}`

async function deploymentsExist(cluster: Cluster): Promise<boolean> {
  const answers = await Promise.all(['coredns', 'metrics-server'].map((name) => ask(cluster, deployment(name))))
  return answers.every((answer) => answer?.status === 200)
}

type Deployment = { readonly status?: { readonly availableReplicas?: number } }

/**
 * Waits until cluster DNS answers.
 * @throws Failure with the pod's events
 */
export async function waitForDns(cluster: Cluster): Promise<void> {
  const available = async () =>
    ((await read<Deployment>(cluster, deployment('coredns')))?.status?.availableReplicas ?? 0) > 0
  if (await waitUntil(available, { timeout: addonMs, every: 250 })) return
  throw await notReady(cluster, 'DnsNotReady', `cluster DNS is not ready after ${addonMs / 1000} s`, 'kube-dns')
}

/**
 * Waits until the metrics API knows a node.
 * @throws Failure with the pod's events
 */
export async function waitForMetrics(cluster: Cluster): Promise<void> {
  const known = async () => {
    const metrics = await read<{ readonly items: readonly unknown[] }>(cluster, '/apis/metrics.k8s.io/v1beta1/nodes')
    return (metrics?.items.length ?? 0) > 0
  }
  if (await waitUntil(known, { timeout: addonMs, every: 250 })) return
  throw await notReady(
    cluster,
    'MetricsNotReady',
    `the metrics API does not answer after ${addonMs / 1000} s`,
    'metrics-server',
  )
}

async function notReady(cluster: Cluster, reason: string, message: string, app: string): Promise<Failure> {
  const question = [...kubectl(cluster), '-n', 'kube-system', 'describe', 'pods', '-l', `k8s-app=${app}`]
  const { stdout } = await tryCommand(question)
  return new Failure(reason, message, {
    output: stdout.split('\n').slice(-15).join('\n'),
    remedy: `${question.join(' ')}; then the same with \`logs\` instead of \`describe pods\``,
  })
}
