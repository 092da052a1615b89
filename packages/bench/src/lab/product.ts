import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { configMaps, secrets } from '@kubevirt-ts/api'
import { command, toolPath } from '@kubevirt-ts/dev-cluster'
import { nodeFlags, serviceBundle, serviceEnvironment } from '@kubevirt-ts/images'
import { isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import { chartManifests, type Manifest } from './chart.ts'
import type { Program } from './child.ts'
import { ask } from './https.ts'
import { serviceAccountKubeconfig } from './service-account.ts'

export const namespace = 'kubevirt'

/** Where the lab keeps its files and how it reaches its API server. */
export type Place = { readonly state: string; readonly kubeconfig: string; readonly client: KubeClient }

/** Installs the chart's objects: definitions first, then all that stands on them. */
export async function installChart({ state, kubeconfig }: Place, apiPort: number): Promise<void> {
  const manifests = await chartManifests(namespace, apiPort, join(state, 'logs', 'tools.log'))
  const isDefinition = ({ kind }: Manifest) => kind === 'CustomResourceDefinition'
  const kubectl = [toolPath('kubectl'), '--kubeconfig', kubeconfig]
  const own = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  for (const part of [[own, ...manifests.filter(isDefinition)], manifests.filter((each) => !isDefinition(each))]) {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: part })
    await command([...kubectl, 'create', '-f', '-'], { input })
    if (!part.some(isDefinition)) continue
    await command([...kubectl, 'wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  }
}

/** Must be the launcher image of every pod; nothing pulls it. */
export const launcherImage = 'localhost/kubevirt-ts/virt-launcher:lab'

const probe = join(import.meta.dirname, 'probe.mjs')

/** How the image starts the service, with a probe before it that tells heap and event loop. */
const serviceArgv = async (service: string): Promise<string[]> => [
  process.execPath,
  ...(await nodeFlags()),
  '--import',
  probe,
  await serviceBundle(service),
]

export async function virtController(place: Place, port: number): Promise<Program> {
  const kubeconfig = await serviceAccountKubeconfig(place, namespace, 'kubevirt-controller')
  return {
    name: 'virt-controller',
    env: await serviceEnvironment('virt-controller'),
    argv: [
      ...(await serviceArgv('virt-controller')),
      '--kubeconfig',
      kubeconfig,
      '--namespace',
      namespace,
      '--hostname',
      'lab',
      '--listen',
      '127.0.0.1',
      '--port',
      String(port),
      '--launcher-image',
      launcherImage,
      // It has no rival, and a machine that is busy with other things must not cost it the leadership.
      '--leader-elect-lease-duration',
      '180s',
      '--leader-elect-renew-deadline',
      '150s',
    ],
    ready: async () => (await ask(port, '/leader')).status === 200,
  }
}

/** virt-api with the certificates that virt-controller made. */
export async function virtApi(place: Place, port: number): Promise<Program> {
  const kubeconfig = await serviceAccountKubeconfig(place, namespace, 'kubevirt-apiserver')
  const files = await certificateFiles(place)
  const base = '/apis/subresources.kubevirt.io/v1'
  return {
    name: 'virt-api',
    env: await serviceEnvironment('virt-api'),
    argv: [
      ...(await serviceArgv('virt-api')),
      '--kubeconfig',
      kubeconfig,
      '--namespace',
      namespace,
      '--listen',
      '127.0.0.1',
      '--port',
      String(port),
      '--tls-cert-file',
      files('kubevirt-virt-api-certs/tls.crt'),
      '--tls-key-file',
      files('kubevirt-virt-api-certs/tls.key'),
      '--handler-cert-file',
      files('kubevirt-virt-handler-certs/tls.crt'),
      '--handler-key-file',
      files('kubevirt-virt-handler-certs/tls.key'),
      '--ca-file',
      files('kubevirt-ca/ca-bundle'),
    ],
    ready: async () => (await ask(port, `${base}/healthz`)).status === 200,
  }
}

/** Writes what pods would mount, once it is there. */
async function certificateFiles({ client, state }: Place): Promise<(path: string) => string> {
  const folder = join(state, 'certificates')
  for (const name of ['kubevirt-virt-api-certs', 'kubevirt-virt-handler-certs']) {
    const { data = {} } = await eventually(() => client.get(secrets, { namespace, name }))
    await writeFiles(join(folder, name), data, 'base64')
  }
  const { data = {} } = await eventually(() => client.get(configMaps, { namespace, name: 'kubevirt-ca' }))
  await writeFiles(join(folder, 'kubevirt-ca'), data, 'utf8')
  return (path) => join(folder, path)
}

async function writeFiles(folder: string, data: Readonly<Record<string, string>>, encoding: BufferEncoding) {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(data)) {
    await writeFile(join(folder, name), Buffer.from(text, encoding), { mode: 0o600 })
  }
}

async function eventually<T>(get: () => Promise<T>): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    try {
      return await get()
    } catch (error) {
      if (!isNotFound(error)) throw error
      if (performance.now() > end)
        throw new VirtError('NotReady', 'virt-controller made no certificates', { cause: error })
      await delay(50)
    }
  }
}
