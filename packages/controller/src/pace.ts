import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { KubeClient, RateLimit } from '@kubevirt-ts/kubecli'
import { setVerbosity } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'

/** How much a process logs, and how fast it may ask the API server. */
export interface Pace {
  readonly verbosity: number
  readonly limit: RateLimit
}

/** Where the configuration of the KubeVirt resource comes from. */
export interface Configured {
  onChange(listener: (configuration: KubeVirtConfiguration) => void): unknown
}

/** Log level and request rate follow the KubeVirt resource without a restart; `paceOf` reads what it says of this process. */
export function followPace(
  config: Configured,
  { client, log }: { readonly client: Pick<KubeClient, 'setRateLimit'>; readonly log: Logger },
  paceOf: (configuration: KubeVirtConfiguration) => Pace,
): void {
  config.onChange((configuration) => {
    const { verbosity, limit } = paceOf(configuration)
    setVerbosity(log, verbosity)
    client.setRateLimit(limit)
  })
}
