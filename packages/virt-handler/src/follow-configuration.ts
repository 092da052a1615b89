import type { KubeClient, RateLimit } from '@kubevirt-ts/kubecli'
import { type Logger, setVerbosity } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'

/** What the process was started with; it holds wherever the KubeVirt resource says nothing (any more). */
export interface Given {
  readonly node: string
  readonly verbosity: number
  readonly limit: RateLimit
}

/** Log level and request rate follow the KubeVirt resource without a restart; a node may have a level of its own. */
export function followConfiguration(
  config: Pick<ClusterConfig, 'onChange'>,
  client: Pick<KubeClient, 'setRateLimit'>,
  log: Logger,
  { node, verbosity, limit }: Given,
): void {
  config.onChange(({ developerConfiguration, handlerConfiguration }) => {
    const { nodeVerbosity, virtHandler } = developerConfiguration?.logVerbosity ?? {}
    setVerbosity(log, nodeVerbosity?.[node] ?? virtHandler ?? verbosity)
    client.setRateLimit(handlerConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter ?? limit)
  })
}
