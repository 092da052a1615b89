import { followPace } from '@kubevirt-ts/controller'
import type { Configured, Pace } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

/** @param given what the process was started with; it holds wherever the KubeVirt resource says nothing (any more) */
export function followConfiguration(
  config: Configured,
  client: Pick<KubeClient, 'setRateLimit'>,
  log: Logger,
  given: Pace,
): void {
  followPace(config, { client, log }, ({ developerConfiguration, controllerConfiguration }) => ({
    verbosity: developerConfiguration?.logVerbosity?.virtController ?? given.verbosity,
    limit: controllerConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter ?? given.limit,
  }))
}
