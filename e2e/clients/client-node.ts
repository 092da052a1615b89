/**
 * Drives the VM API by the Kubernetes project's own client for JavaScript, as its users do: `client-node.ts NAMESPACE`
 * with a manifest on standard input, of a VM that is off. Prints what was seen as JSON.
 */
import { json } from 'node:stream/consumers'
import {
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  Watch,
  setHeaderOptions,
  type KubernetesObject,
} from '@kubernetes/client-node'

type Vm = KubernetesObject & {
  metadata: { name: string; labels?: Record<string, string> }
  spec: { runStrategy: string }
}

const [namespace = ''] = process.argv.slice(2)
const manifest = (await json(process.stdin)) as Vm
const { name } = manifest.metadata
const config = new KubeConfig()
config.loadFromDefault()
const custom = config.makeApiClient(CustomObjectsApi)
const place = { group: 'kubevirt.io', version: 'v1', namespace, plural: 'virtualmachines' }

const created = (await custom.createNamespacedCustomObject({ ...place, body: manifest })) as Vm
const seen = watched(name, created.metadata.resourceVersion ?? '')
const patched = (await custom.patchNamespacedCustomObject(
  { ...place, name, body: [{ op: 'add', path: '/metadata/labels', value: { by: 'patch' } }] },
  setHeaderOptions('Content-Type', PatchStrategy.JsonPatch),
)) as Vm
const generic = KubernetesObjectApi.makeApiClient(config)
const applied = await generic.patch(
  { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name, namespace, labels: { applied: 'yes' } } },
  undefined,
  undefined,
  'client-node',
  true,
  PatchStrategy.ServerSideApply,
)
const { items } = await generic.list<Vm>('kubevirt.io/v1', 'VirtualMachine', namespace)
const refused = await custom.createNamespacedCustomObject({ ...place, body: { ...manifest, spec: {} } }).then(
  () => 'accepted',
  (error: { code?: number }) => error.code,
)
const events = await seen
await generic.delete({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name, namespace } })
console.log(
  JSON.stringify({
    architecture: architectureOf(created),
    patched: patched.metadata.labels,
    applied: applied.metadata?.labels,
    listed: items.map(({ metadata }) => metadata.name),
    refused,
    events,
  }),
)

function architectureOf({ spec }: Vm): unknown {
  return (spec as unknown as { template: { spec: { architecture?: string } } }).template.spec.architecture
}

/** The kinds of events about a VM from a version on, until one shows the label that was applied. */
async function watched(name: string, resourceVersion: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const path = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`
  const controller = await new Watch(config).watch(
    path,
    { resourceVersion, fieldSelector: `metadata.name=${name}` },
    (type, vm: Vm) => {
      if (vm.metadata.labels?.['applied']) resolve(type)
    },
    (error) => reject(error instanceof Error ? error : new Error('the watch ended')),
  )
  return promise.finally(() => controller.abort())
}
