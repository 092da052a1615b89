import type { GuestStatistics } from '@kubevirt-ts/handler-launcher-com'

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric of guests: its labels beside node, namespace and name, and what it is in a guest's statistics. */
export interface GuestMetric {
  readonly name: string
  readonly kind: 'counter' | 'gauge'
  readonly help: string
  readonly labels: readonly string[]
  readonly samples: (statistics: GuestStatistics) => readonly Sample[]
}

type Kind = GuestMetric['kind']

const kibibyte = 1024
const perSecond = 1e-9
const states = ['offline', 'running', 'blocked']

/** Every metric of a guest, in KubeVirt's words. A statistic that libvirt lacks is no sample. */
export const guestMetrics: readonly GuestMetric[] = [
  single('cpu_usage_seconds_total', 'counter', 'CPU time of the whole guest', 'cpu.time', perSecond),
  single('cpu_user_usage_seconds_total', 'counter', 'CPU time in user mode', 'cpu.user', perSecond),
  single('cpu_system_usage_seconds_total', 'counter', 'CPU time in system mode', 'cpu.system', perSecond),
  perVcpu('vcpu_seconds_total', 'Time that a virtual CPU ran', 'time'),
  perVcpu('vcpu_wait_seconds_total', 'Time that a virtual CPU waited for I/O', 'wait'),
  perVcpu('vcpu_delay_seconds_total', 'Time that a virtual CPU waited for a CPU', 'delay'),
  single('memory_actual_balloon_bytes', 'gauge', 'Memory that the balloon leaves', 'balloon.current', kibibyte),
  single('memory_domain_bytes', 'gauge', 'Memory of the domain', 'balloon.maximum', kibibyte),
  single('memory_available_bytes', 'gauge', 'Memory that the guest sees', 'balloon.available', kibibyte),
  single('memory_unused_bytes', 'gauge', 'Memory that the guest does not use', 'balloon.unused', kibibyte),
  single('memory_usable_bytes', 'gauge', 'Memory that the guest could reclaim', 'balloon.usable', kibibyte),
  single('memory_cached_bytes', 'gauge', "Memory that holds the guest's caches", 'balloon.disk_caches', kibibyte),
  single('memory_resident_bytes', 'gauge', 'Resident memory of QEMU', 'balloon.rss', kibibyte),
  single('memory_swap_in_traffic_bytes', 'gauge', 'Memory swapped in by the guest', 'balloon.swap_in', kibibyte),
  single('memory_swap_out_traffic_bytes', 'gauge', 'Memory swapped out by the guest', 'balloon.swap_out', kibibyte),
  single('memory_pgmajfault_total', 'counter', 'Major page faults of the guest', 'balloon.major_fault', 1),
  single('memory_pgminfault_total', 'counter', 'Minor page faults of the guest', 'balloon.minor_fault', 1),
  ...card('receive', 'rx', 'received'),
  ...card('transmit', 'tx', 'sent'),
  drive('iops_read_total', 'Reads', 'rd.reqs', 1),
  drive('iops_write_total', 'Writes', 'wr.reqs', 1),
  drive('read_traffic_bytes_total', 'Bytes read', 'rd.bytes', 1),
  drive('write_traffic_bytes_total', 'Bytes written', 'wr.bytes', 1),
  drive('read_times_seconds_total', 'Time spent reading', 'rd.times', perSecond),
  drive('write_times_seconds_total', 'Time spent writing', 'wr.times', perSecond),
  drive('flush_requests_total', 'Flushes', 'fl.reqs', 1),
  drive('flush_times_seconds_total', 'Time spent flushing', 'fl.times', perSecond),
  filesystem('filesystem_capacity_bytes', "Size of the guest's file system", 'totalBytes'),
  filesystem('filesystem_used_bytes', "Used space of the guest's file system", 'usedBytes'),
  load('guest_load_1m', 'm1'),
  load('guest_load_5m', 'm5'),
  load('guest_load_15m', 'm15'),
]

const numberOf = ({ domain }: GuestStatistics, name: string): number | undefined => {
  const value = domain[name]
  return typeof value === 'number' ? value : undefined
}

const textOf = ({ domain }: GuestStatistics, name: string): string => {
  const value = domain[name]
  return value === undefined ? '' : String(value)
}

function sample(value: number | undefined, labels?: Readonly<Record<string, string>>): readonly Sample[] {
  return value === undefined ? [] : [{ value, ...(labels === undefined ? {} : { labels }) }]
}

const scaled = (value: number | undefined, by: number): number | undefined =>
  value === undefined ? undefined : value * by

function single(name: string, kind: Kind, help: string, statistic: string, by: number): GuestMetric {
  const samples = (all: GuestStatistics): readonly Sample[] => sample(scaled(numberOf(all, statistic), by))
  return { name: `kubevirt_vmi_${name}`, kind, help, labels: [], samples }
}

/** The numbers that libvirt gives to things of a kind: `vcpu.0.time`, `vcpu.1.time`. */
function numbersOf({ domain }: GuestStatistics, kind: string): string[] {
  const found = Object.keys(domain).flatMap((key) => new RegExp(`^${kind}\\.(\\d+)\\.`).exec(key)?.[1] ?? [])
  return [...new Set(found)]
}

function perVcpu(name: string, help: string, statistic: string): GuestMetric {
  const samples = (all: GuestStatistics): readonly Sample[] =>
    numbersOf(all, 'vcpu').flatMap((id) => {
      const state = states[numberOf(all, `vcpu.${id}.state`) ?? -1] ?? 'unknown'
      return sample(scaled(numberOf(all, `vcpu.${id}.${statistic}`), perSecond), { id, state })
    })
  return { name: `kubevirt_vmi_${name}`, kind: 'counter', help, labels: ['id', 'state'], samples }
}

function card(verb: string, direction: string, done: string): GuestMetric[] {
  const one = (what: string, statistic: string, words: string): GuestMetric => ({
    name: `kubevirt_vmi_network_${verb}_${what}_total`,
    kind: 'counter',
    help: `${words} ${done}`,
    labels: ['interface'],
    samples: (all) =>
      numbersOf(all, 'net').flatMap((id) =>
        sample(numberOf(all, `net.${id}.${direction}.${statistic}`), { interface: textOf(all, `net.${id}.name`) }),
      ),
  })
  return [
    one('bytes', 'bytes', 'Bytes'),
    one('packets', 'pkts', 'Packets'),
    one('packets_dropped', 'drop', 'Dropped packets that were to be'),
    one('errors', 'errs', 'Packets with errors that were to be'),
  ]
}

function drive(name: string, help: string, statistic: string, by: number): GuestMetric {
  const samples = (all: GuestStatistics): readonly Sample[] =>
    numbersOf(all, 'block').flatMap((id) =>
      sample(scaled(numberOf(all, `block.${id}.${statistic}`), by), { drive: textOf(all, `block.${id}.name`) }),
    )
  return { name: `kubevirt_vmi_storage_${name}`, kind: 'counter', help, labels: ['drive'], samples }
}

function filesystem(name: string, help: string, field: 'totalBytes' | 'usedBytes'): GuestMetric {
  const labels = ['disk_name', 'mount_point', 'file_system_type']
  const samples = ({ filesystems = [] }: GuestStatistics): readonly Sample[] =>
    filesystems.map((each) => ({
      value: each[field],
      labels: { disk_name: each.diskName, mount_point: each.mountPoint, file_system_type: each.fileSystemType },
    }))
  return { name: `kubevirt_vmi_${name}`, kind: 'gauge', help, labels, samples }
}

function load(name: string, field: 'm1' | 'm5' | 'm15'): GuestMetric {
  const help = 'Average number of runnable processes in the guest'
  const samples = (all: GuestStatistics): readonly Sample[] => sample(all.load?.[field])
  return { name: `kubevirt_vmi_${name}`, kind: 'gauge', help, labels: [], samples }
}
