import { compatibleRelease, kubeVirts } from '@kubevirt-ts/api'
import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { KubeClient, RateLimit } from '@kubevirt-ts/kubecli'
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
  const apply = () => {
    client.setRateLimit(rateLimitOf(config))
    setVerbosity(log, config.configuration().developerConfiguration?.logVerbosity?.virtAPI ?? verbosity)
  }
  informer.on({ added: apply, updated: apply, deleted: apply })
  informer.start(signal)
  await informer.synced
  return config
}

const unlimited = { qps: 0, burst: 0 }

/**
 * What virt-api asks the API server is what users asked of it, up to four requests for each, and the API server let those
 * pass: it waits for a rate only where the KubeVirt resource names one.
 */
function rateLimitOf(config: ClusterConfig): RateLimit {
  const limitIn = (configuration: KubeVirtConfiguration | undefined) =>
    configuration?.apiConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter
  const isNamed = limitIn(config.kubeVirt()?.spec?.configuration) !== undefined
  return (isNamed ? limitIn(config.configuration()) : undefined) ?? unlimited
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
