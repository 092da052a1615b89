import { pods, type Pod } from '@kubevirt-ts/api'
import type { PluginFactory } from '../../framework/registry.ts'
import { failure, statusOf } from '../../framework/status.ts'

/** Binds by the pod's `binding` subresource. The UID keeps a new pod of the same name from being bound by mistake. */
export const defaultBinder: PluginFactory = {
  name: 'DefaultBinder',
  create: (_args, { client }) => ({
    name: 'DefaultBinder',
    bind: async (pod, node) => {
      try {
        await client.create(pods, bindingOf(pod, node), { subresource: 'binding' })
        return statusOf('Success')
      } catch (error) {
        return failure(error)
      }
    },
  }),
}

function bindingOf({ metadata: { name, namespace, uid } }: Pod, node: string): Pod {
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  }
  // The subresource takes another kind than the resource that it belongs to.
  return binding as unknown as Pod
}
