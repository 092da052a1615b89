import { compatibleRelease, kubeVirts } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { setVerbosity } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import type { Settings } from './settings.ts'

/** Follows the KubeVirt resource; resolves when it was read once. The client's rate and the log follow it too. */
export async function followConfiguration(
  client: KubeClient,
  { namespace, verbosity }: { readonly namespace: string; readonly verbosity: number },
  log: Logger,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const informer = new Informer({ client, resource: kubeVirts, namespace, log })
  const config = new ClusterConfig({
    kubeVirts: informer,
    namespace,
    onInvalid: (error) => log.error({ error }, 'the KubeVirt resource can not be used, the last valid one stays'),
  })
  informer.start(signal)
  await informer.synced
  config.onChange(({ apiConfiguration, developerConfiguration }) => {
    const limit = apiConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter
    if (limit) client.setRateLimit({ qps: limit.qps, burst: limit.burst })
    setVerbosity(log, developerConfiguration?.logVerbosity?.virtAPI ?? verbosity)
  })
  return config
}

/** The configuration as admission sees it, always the newest. */
export const settingsOf = (config: ClusterConfig): Settings => ({
  get configuration() {
    return config.configuration()
  },
  get annotations() {
    return config.kubeVirt()?.metadata.annotations
  },
  isEnabled: (gate) => config.isEnabled(gate),
})

/** Where the images of this installation come from. */
export function imagesOf(config: ClusterConfig): { registry: string; tag: string } {
  const { observedKubeVirtRegistry: registry = '', observedKubeVirtVersion: tag = compatibleRelease } =
    config.kubeVirt()?.status ?? {}
  return { registry, tag }
}
