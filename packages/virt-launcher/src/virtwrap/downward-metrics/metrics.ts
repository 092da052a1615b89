import type { GuestStatistics } from '@kubevirt-ts/handler-launcher-com'

interface Metric {
  readonly name: string
  readonly type: 'string' | 'uint64' | 'int64' | 'real64'
  readonly context: 'host' | 'vm'
  readonly unit?: 'KiB' | 's'
  readonly value: string | number
}

/** What the kernel of the node says, which a container sees too. */
export interface HostFiles {
  readonly meminfo: string
  readonly stat: string
  readonly vmstat: string
}

/** The names, types and units of vhostmd, which tools in guests read. */
export function metricsOf(node: string, host: HostFiles, guest: GuestStatistics['domain'], now: Date): Metric[] {
  const text = (name: string, value: string): Metric => ({ name, type: 'string', context: 'host', value })
  const count = (context: Metric['context'], name: string, value: number): Metric => {
    return { name, type: 'uint64', context, value }
  }
  const size = (context: Metric['context'], name: string, value: number): Metric => {
    return { ...count(context, name, value), unit: 'KiB' }
  }
  const seconds = (context: Metric['context'], value: number): Metric => {
    return { name: 'TotalCPUTime', type: 'real64', context, unit: 's', value: value.toFixed(6) }
  }
  const memory = (name: string): number => numberOf(host.meminfo, `${name}:`)
  const pages = (name: string): number => numberOf(host.vmstat, name)
  const used = memory('MemTotal') - memory('MemAvailable')
  return [
    text('HostName', node),
    text('HostSystemInfo', 'linux'),
    text('VirtualizationVendor', 'KubeVirt'),
    count('host', 'NumberOfPhysicalCPUs', host.stat.match(/^cpu\d+ /gm)?.length ?? 0),
    seconds('host', busySeconds(host.stat)),
    size('host', 'FreePhysicalMemory', memory('MemFree')),
    size('host', 'FreeVirtualMemory', memory('MemFree') + memory('SwapFree')),
    size('host', 'MemoryAllocatedToVirtualServers', used),
    size('host', 'UsedVirtualMemory', used + memory('SwapTotal') - memory('SwapFree')),
    size('host', 'PagedInMemory', pages('pswpin') * pageKiB),
    size('host', 'PagedOutMemory', pages('pswpout') * pageKiB),
    { name: 'Time', type: 'int64', context: 'host', unit: 's', value: Math.floor(now.getTime() / 1000) },
    seconds('vm', Number(guest['cpu.time'] ?? 0) / 1e9),
    count('vm', 'ResourceProcessorLimit', Number(guest['vcpu.current'] ?? 0)),
    size('vm', 'PhysicalMemoryAllocatedToVirtualSystem', Number(guest['balloon.current'] ?? 0)),
    size('vm', 'ResourceMemoryLimit', Number(guest['balloon.maximum'] ?? 0)),
  ]
}

export function metricsXml(metrics: readonly Metric[]): string {
  const lines = metrics.map(({ name, type, context, unit, value }) => {
    const measured = unit === undefined ? '' : ` unit="${unit}"`
    const head = `<metric type="${type}" context="${context}"${measured}>`
    return `  ${head}\n    <name>${name}</name>\n    <value>${value}</value>\n  </metric>\n`
  })
  return `<metrics>\n${lines.join('')}</metrics>\n`
}

const pageKiB = 4
/** USER_HZ */
const ticksPerSecond = 100

/** Time in user programs and in the kernel. */
function busySeconds(stat: string): number {
  const [user = 0, nice = 0, system = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '').split(' ').map(Number)
  return (user + nice + system) / ticksPerSecond
}

const numberOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(text)?.[1] ?? 0)
