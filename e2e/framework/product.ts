import { clusterDown, clusterUp, kubeconfigPath, progressLines, toolPath } from '@kubevirt-ts/dev-cluster'
import {
  buildGuests,
  buildImages,
  guestNames,
  imageNames,
  productVersion,
  pushGuestAs,
  pushImages,
} from '@kubevirt-ts/images'
import { kubectl } from './kubectl.ts'
import { must } from './run.ts'
import { publishTools, root, tools } from './tools.ts'

export const namespace = 'kubevirt'
export const release = 'kubevirt'
export const upgradeTag = `${productVersion()}-next`

const cluster = process.env['E2E_CLUSTER'] ?? 'test'
const keep = process.env['E2E_KEEP'] === '1' || process.env['E2E_CLUSTER'] !== undefined
const chart = `${root}charts/kubevirt`

/** The images that users' manifests name, and the guest that stands in for each. */
const standIns = [
  ['guest-tiny', 'registry:5000/kubevirt/cirros-container-disk-demo:devel'],
  ['guest-debian', 'docker.io/kubevirt/fedora-cloud-container-disk-demo:latest'],
] as const

/** Cluster, images and guests; the install chapter does the rest. Two nodes, as guests have to choose between some. */
export async function bringUpProduct(): Promise<void> {
  if (process.env['E2E_INSTALLED'] !== '1') await bringUpCluster()
  publishTools({
    cluster,
    kubeconfig: kubeconfigPath(cluster),
    kubectl: toolPath('kubectl'),
    helm: toolPath('helm'),
  })
}

async function bringUpCluster(): Promise<void> {
  const onProgress = progressLines((text) => void process.stderr.write(text), false)
  const images = async (signal: AbortSignal): Promise<void> => {
    await buildImages({ onProgress, signal })
    await buildImages({ tag: upgradeTag, onProgress, signal })
    await buildGuests({ onProgress, signal })
  }
  await clusterUp({ name: cluster, nodes: 2, onProgress, meanwhile: images })
  await pushImages({ cluster, names: [...imageNames, ...guestNames], onProgress })
  await pushImages({ cluster, tag: upgradeTag, onProgress })
  for (const [guest, image] of standIns) await pushGuestAs(guest, image, { cluster })
}

/** Leaves nothing behind, unless somebody lent the cluster or wants to look at it. */
export async function takeDownProduct(): Promise<void> {
  if (!keep) await clusterDown(cluster)
}

// A rebuild keeps its tag, so a cluster that lived through one must ask the registry.
const values = [
  'useEmulation=true',
  'pullPolicy=Always',
  'virtApi.replicas=1',
  'virtController.replicas=1',
  'scheduler.enabled=true',
  'scheduler.replicas=1',
  'featureGates={DirectContainerDisk,DownwardMetrics,HostDevices,HostDisk,Sidecar}',
].flatMap((value) => ['--set', value])

const helmUpgrade = (...more: string[]): Promise<string> =>
  must(
    tools().helm,
    [
      'upgrade',
      '--install',
      release,
      chart,
      '-n',
      namespace,
      '--create-namespace',
      '--timeout',
      '5m',
      ...values,
      ...more,
    ],
    { timeoutMs: 400_000 },
  )

/** As a user installs it. */
export const install = (): Promise<string> => helmUpgrade('--wait')

/** The same installation with further values. */
export const configure = (...flags: string[]): Promise<string> => helmUpgrade(...flags)

/** To another tag, with another value. */
export const upgrade = (): Promise<string> =>
  helmUpgrade('--set', `tag=${upgradeTag}`, '--set', 'verbosity=3', '--wait')

/** Changes the installed KubeVirt resource's spec; null takes a field back to its default. */
export const patchKubeVirt = (spec: object): Promise<string> =>
  kubectl('patch', 'kubevirt', release, '-n', namespace, '--type=merge', '-p', JSON.stringify({ spec }))
