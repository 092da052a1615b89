import { command, ensureTools, toolPath } from '@kubevirt-ts/dev-cluster'
import { parseAllDocuments } from 'yaml'

/** An object of any kind, as the chart renders it. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec?: unknown
}

// What the lab runs itself, or has no use for.
const leftOut: ReadonlySet<string> = new Set(['Deployment', 'DaemonSet', 'Job', 'Pod', 'PodDisruptionBudget'])

// Helm without a cluster does not know that the API server has these.
const policies = ['--api-versions', 'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy']

/** The chart's objects, without its workloads, hooks and tests; virt-api's service leads to a port of this machine. */
export async function chartManifests(namespace: string, apiPort: number, log: string): Promise<Manifest[]> {
  await ensureTools(log)
  const text = await command([
    toolPath('helm'),
    'template',
    'lab',
    'charts/kubevirt',
    '-n',
    namespace,
    '--include-crds',
    ...policies,
  ])
  return parseAllDocuments(text, { merge: true })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
    .filter(({ kind, metadata }) => !leftOut.has(kind) && metadata.annotations?.['helm.sh/hook'] === undefined)
    .map((manifest) => atHost(manifest, namespace, apiPort))
}

function atHost(manifest: Manifest, namespace: string, port: number): Manifest {
  switch (manifest.kind) {
    case 'Service': {
      const { name, labels } = manifest.metadata
      return {
        ...manifest,
        metadata: { name, namespace, labels },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      }
    }
    case 'APIService': {
      const spec = manifest.spec as { service: object }
      return { ...manifest, spec: { ...spec, service: { ...spec.service, port } } }
    }
    case 'ValidatingWebhookConfiguration':
    case 'MutatingWebhookConfiguration': {
      const { webhooks } = manifest as Manifest & { webhooks: { clientConfig: { service: object } }[] }
      const moved = webhooks.map((webhook) => {
        return { ...webhook, clientConfig: { service: { ...webhook.clientConfig.service, port } } }
      })
      return { ...manifest, webhooks: moved } as Manifest
    }
    default:
      return manifest
  }
}
