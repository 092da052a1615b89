import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, stateDir, toolPath, tryCommand } from '@kubevirt-ts/dev-cluster'
import type { Target } from '../target.ts'

export const productNamespace = 'kubevirt'
export const release = 'kubevirt'

const chart = fileURLToPath(new URL('../../../../charts/kubevirt', import.meta.url))

export type Installation = {
  readonly target: Target
  readonly tag: string
  readonly useEmulation: boolean
  readonly images: string
}

/** The values that differ from the chart's own. */
export const installValues = ({ target, tag, useEmulation }: Installation) => ({
  registry: target.registry,
  tag,
  useEmulation,
  // A local rebuild keeps its tag, so the nodes must ask the registry, which is next door.
  pullPolicy: target.own ? 'Always' : 'IfNotPresent',
  virtApi: { replicas: target.own ? 1 : 2 },
  virtController: { replicas: target.own ? 1 : 2 },
})

/** Installs or upgrades the release. Where chart, values and images are those of the last time, nothing is done. */
export async function installRelease(installation: Installation): Promise<string> {
  const { target } = installation
  const values = installValues(installation)
  const wanted = await fingerprint(JSON.stringify(values) + installation.images)
  const record = join(stateDir(), 'installed')
  const before = target.own ? await readFile(record, 'utf8').catch(() => '') : ''
  const wasDeployed = await isDeployed(target)
  if (wasDeployed && before === wanted) return 'unchanged'

  const helm = toolPath('helm')
  await command(
    [
      helm,
      'upgrade',
      '--install',
      release,
      chart,
      '-n',
      productNamespace,
      '--create-namespace',
      '--timeout',
      '10m',
      '-f',
      '-',
    ],
    {
      input: JSON.stringify(values),
      env: { KUBECONFIG: target.kubeconfig },
      reason: 'InstallFailed',
      remedy: `look at: helm -n ${productNamespace} status ${release}`,
    },
  )
  if (wasDeployed) await restartComponents(target)
  if (target.own) await writeFile(record, wanted)
  return 'helm release kubevirt'
}

/** Available=True of the KubeVirt resource: every component runs. */
export async function waitUntilAvailable(target: Target): Promise<void> {
  const kubectl = toolPath('kubectl')
  const env = { KUBECONFIG: target.kubeconfig }
  for (const workload of ['deployment/virt-api', 'deployment/virt-controller', 'daemonset/virt-handler']) {
    await command([kubectl, '-n', productNamespace, 'rollout', 'status', workload, '--timeout=300s'], {
      env,
      reason: 'NotReady',
      remedy: `look at: kubectl -n ${productNamespace} get pods; kubectl -n ${productNamespace} describe ${workload}`,
    })
  }
  await command(
    [kubectl, '-n', productNamespace, 'wait', 'kv/kubevirt', '--for=condition=Available', '--timeout=120s'],
    {
      env,
      reason: 'NotAvailable',
      remedy: `look at: kubectl -n ${productNamespace} get kv kubevirt -o yaml`,
    },
  )
}

/** New images under an old tag reach pods only when these start again. */
async function restartComponents(target: Target): Promise<void> {
  const kubectl = toolPath('kubectl')
  await command(
    [
      kubectl,
      '-n',
      productNamespace,
      'rollout',
      'restart',
      'deployment/virt-api',
      'deployment/virt-controller',
      'daemonset/virt-handler',
    ],
    { env: { KUBECONFIG: target.kubeconfig } },
  )
}

async function isDeployed(target: Target): Promise<boolean> {
  const helm = toolPath('helm')
  const { code, stdout } = await tryCommand([helm, '-n', productNamespace, 'status', release, '-o', 'json'], {
    env: { KUBECONFIG: target.kubeconfig },
  })
  return code === 0 && (JSON.parse(stdout) as { info?: { status?: string } }).info?.status === 'deployed'
}

async function fingerprint(values: string): Promise<string> {
  const hash = createHash('sha256').update(values)
  const files = (await readdir(chart, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted())
    hash.update(path).update(await readFile(path))
  return hash.digest('hex')
}
