import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Launcher } from '../launcher.ts'
import { getDomainStats } from '../operations/get-domain-stats.ts'
import { answerMetrics } from './channel.ts'
import { writeMetricsDisk } from './disk.ts'
import { metricsOf, metricsXml } from './metrics.ts'
import { metricsChannel, metricsDisk } from './places.ts'

const periodMs = 5_000

/** Tells the guest of its host and of itself, as vhostmd does: on a disk, on a channel, or on both, as its VMI asks. */
export function downwardMetrics(launcher: Launcher) {
  const { places, log } = launcher
  let timer: NodeJS.Timeout | undefined
  let channel: Socket | undefined
  let node = ''
  const metrics = async (): Promise<string> => {
    const [meminfo = '', stat = '', vmstat = ''] = await Promise.all(
      ['meminfo', 'stat', 'vmstat'].map((file) => readFile(`/proc/${file}`, 'utf8')),
    )
    const guest = (await getDomainStats(launcher))?.domain ?? {}
    return metricsXml(metricsOf(node, { meminfo, stat, vmstat }, guest, new Date()))
  }
  const refresh = (): Promise<void> =>
    metrics()
      .then((xml) => writeMetricsDisk(metricsDisk(places.guest), xml))
      .catch((error: unknown) => log.warn({ error }, 'the metrics for the guest could not be written'))
  return {
    /** For a guest that runs. Can be repeated. */
    follow({ spec, status }: VirtualMachineInstance): void {
      node = status?.nodeName ?? node
      if (spec.volumes?.some((volume) => volume.downwardMetrics) && timer === undefined) {
        timer = setInterval(() => void refresh(), periodMs).unref()
        void refresh()
      }
      if (spec.domain.devices.downwardMetrics && channel === undefined)
        channel = answerMetrics(metricsChannel(places.guest), metrics, () => (channel = undefined))
    },
    close(): void {
      clearInterval(timer)
      channel?.destroy()
    },
  }
}
