import type { GuestStatistics } from '@kubevirt-ts/handler-launcher-com'
import { Counter, Gauge, type Logger, type Registry } from '@kubevirt-ts/service'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { guestMetrics } from './guest-metrics.ts'

export interface GuestMetricsOptions {
  readonly registry: Registry
  readonly node: string
  /** The launchers that can be asked now. */
  readonly launchers: () => readonly Launcher[]
  readonly log: Logger
}

/** Offers the statistics of this node's guests. All launchers are asked once for each scrape, at the same time. */
export function offerGuestMetrics({ registry, node, launchers, log }: GuestMetricsOptions): void {
  let asking: Promise<void> | undefined
  const collect = (): Promise<void> => (asking ??= gather().finally(() => (asking = undefined)))
  const offered = guestMetrics.map((metric) => {
    const options = {
      name: metric.name,
      help: `${metric.help}.`,
      labelNames: ['node', 'namespace', 'name', ...metric.labels],
      registers: [registry],
      collect,
    }
    return { metric, series: metric.kind === 'counter' ? new Counter(options) : new Gauge(options) }
  })
  const gather = async (): Promise<void> => {
    const answers = await Promise.all(launchers().map((launcher) => ask(launcher, log)))
    for (const { series } of offered) series.reset()
    for (const answer of answers) {
      if (answer === undefined) continue
      const { namespace, name } = answer.launcher.guest
      for (const { metric, series } of offered)
        for (const { labels, value } of metric.samples(answer.statistics))
          series.inc({ node, namespace, name, ...labels }, value)
    }
  }
}

async function ask(
  launcher: Launcher,
  log: Logger,
): Promise<{ launcher: Launcher; statistics: GuestStatistics } | undefined> {
  try {
    const { domainStats } = succeeded(await launcher.cmd.getDomainStats({}))
    return domainStats === '' ? undefined : { launcher, statistics: JSON.parse(domainStats) as GuestStatistics }
  } catch (error) {
    log.debug({ error, ...launcher.guest }, 'a launcher gave no statistics')
    return undefined
  }
}
