import { virtualMachineInstancePresets } from '@kubevirt-ts/api'
import type { VirtualMachineInstancePreset } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

/** Follows the presets, so that no VMI waits for them; resolves when they were read once. Answers by namespace. */
export async function followPresets(
  client: KubeClient,
  log: Logger,
  signal: AbortSignal,
): Promise<(namespace: string) => readonly VirtualMachineInstancePreset[]> {
  const informer = new Informer({
    client,
    resource: virtualMachineInstancePresets,
    indexers: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
    log,
  })
  informer.start(signal)
  await informer.synced
  return (namespace) => informer.byIndex('namespace', namespace)
}
