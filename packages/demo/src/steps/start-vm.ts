import { ApiError, isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import {
  virtualMachineInstances,
  virtualMachines,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { Failure } from '@kubevirt-ts/dev-cluster'

const startLimitMs = 180_000
const remedy = (name: string) => `look at: kubectl describe vmi ${name}; kubectl get events`

/** Applies the VM and gives it a new instance, also where one runs already. Resolves when that one is Running. */
export async function startAnew(client: KubeClient, vm: VirtualMachine): Promise<VirtualMachineInstance> {
  const { name, namespace = '' } = vm.metadata
  const before = await instanceOf(client, namespace, name)
  await client.patch(virtualMachines, { namespace, name }, vm, {
    type: 'apply',
    fieldManager: 'kubevirt-ts-demo',
    force: true,
  })
  if (before?.status?.phase === 'Running') await restart(client, namespace, name)
  return running(client, namespace, name, before?.metadata?.uid)
}

async function instanceOf(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<VirtualMachineInstance | undefined> {
  try {
    return await client.get(virtualMachineInstances, { namespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function restart(client: KubeClient, namespace: string, name: string): Promise<void> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachines/${name}/restart`
  const { status, body } = await client.request({ method: 'PUT', path, body: {} })
  if (status !== 202)
    throw new Failure('RestartRefused', `VM ${namespace}/${name} could not be restarted: ${body.toString()}`)
}

async function running(
  client: KubeClient,
  namespace: string,
  name: string,
  notUid = '',
): Promise<VirtualMachineInstance> {
  const signal = AbortSignal.timeout(startLimitMs)
  let last: VirtualMachineInstance | undefined
  while (!signal.aborted) {
    const { items, metadata } = await client.list(virtualMachineInstances, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
    })
    const isNew = (vmi: VirtualMachineInstance) => vmi.metadata?.uid !== notUid && vmi.status?.phase === 'Running'
    const there = items.find(isNew)
    if (there) return there
    try {
      const changes = client.watch(virtualMachineInstances, {
        namespace,
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: metadata.resourceVersion,
        signal,
      })
      for await (const { type, object } of changes) {
        if (type === 'BOOKMARK') continue
        last = object
        if (isNew(object)) return object
      }
    } catch (error) {
      // The watch's history was compacted: the loop lists again.
      if (!(error instanceof ApiError) && !signal.aborted) throw error
    }
  }
  throw new Failure(
    'VmNotRunning',
    `VM ${namespace}/${name} was not Running within ${startLimitMs / 1000} s; its phase: ${last?.status?.phase ?? 'no instance'}`,
    {
      output: (last?.status?.conditions ?? [])
        .map(({ type, status, reason, message }) => `${type}=${status} ${reason ?? ''} ${message ?? ''}`)
        .join('\n'),
      remedy: remedy(name),
    },
  )
}
