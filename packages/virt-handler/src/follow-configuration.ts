import { type Configured, followPace, type Pace } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

/**
 * A node may have a log level of its own.
 * @param given what the process was started with; it holds wherever the KubeVirt resource says nothing (any more)
 */
export function followConfiguration(
  config: Configured,
  client: Pick<KubeClient, 'setRateLimit'>,
  log: Logger,
  { node, ...given }: Pace & { readonly node: string },
): void {
  followPace(config, { client, log }, ({ developerConfiguration, handlerConfiguration }) => {
    const { nodeVerbosity, virtHandler } = developerConfiguration?.logVerbosity ?? {}
    return {
      verbosity: nodeVerbosity?.[node] ?? virtHandler ?? given.verbosity,
      limit: handlerConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter ?? given.limit,
    }
  })
}
