import { customResourceDefinitions, networkAttachmentDefinitions } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { unservedKinds } from '../../src/watch/unserved/kinds.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Controller } from './controllers.ts'
import { until } from './history.ts'

const namespace = 'default'
/** Of a definition until it is served, and of our look at what is there. */
const noticedMs = 30_000

/** A definition that comes while the controller runs is followed, and requests that nobody serves are told so. */
export async function optionalApis({ client }: ControlPlane, { proxy }: Controller): Promise<string> {
  for (const { resource } of unservedKinds) await client.create(resource, requestOf(resource) as never)
  for (const { resource } of unservedKinds) {
    const told = async (): Promise<boolean> => {
      const { status } = await client.get(resource, { namespace, name: 'nobody-serves-this' })
      return status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'NotServed') ?? false
    }
    await until(told, () => `${resource.kind} has no condition`)
  }
  await client.create(customResourceDefinitions, definition(networkAttachmentDefinitions) as never)
  const since = Date.now()
  const isWatched = (): boolean =>
    proxy.requests.some(({ path }) => path.includes(networkAttachmentDefinitions.plural) && path.includes('watch=true'))
  await until(
    async () => isWatched(),
    () => `${networkAttachmentDefinitions.kind} is not watched`,
  )
  const after = Date.now() - since
  if (after > noticedMs) throw new Error(`${networkAttachmentDefinitions.kind} was watched after ${after} ms`)
  return `${unservedKinds.length} requests answered; a definition watched ${(after / 1000).toFixed(1)} s after it came`
}

function requestOf({ group, version, kind }: ResourceType<KubeObject>): object {
  const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }
  const spec =
    kind === 'VirtualMachineRestore'
      ? { target: source, virtualMachineSnapshotName: 'none' }
      : { source, target: source }
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'nobody-serves-this', namespace },
    spec,
  }
}

function definition({ group, version, plural, kind }: ResourceType<KubeObject>): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  }
}
