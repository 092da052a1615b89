import type { KubeClient, RateLimit } from '@kubevirt-ts/kubecli'
import { setVerbosity } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'

/** What the process was started with; it holds wherever the KubeVirt resource says nothing (any more). */
export interface Given {
  readonly verbosity: number
  readonly limit: RateLimit
}

/** Log level and request rate follow the KubeVirt resource without a restart. */
export function followConfiguration(
  config: Pick<ClusterConfig, 'onChange'>,
  client: Pick<KubeClient, 'setRateLimit'>,
  log: Logger,
  { verbosity, limit }: Given,
): void {
  config.onChange(({ developerConfiguration, controllerConfiguration }) => {
    setVerbosity(log, developerConfiguration?.logVerbosity?.virtController ?? verbosity)
    client.setRateLimit(controllerConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter ?? limit)
  })
}
