import { Gauge, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** A registry that already tells which component answers and what it costs, under the usual Prometheus names. */
export function createRegistry(component: string): Registry {
  const registers = [new Registry()]
  new Gauge({ name: 'target_info', help: 'The component that answers.', labelNames: ['service_name'], registers })
    .labels(component)
    .set(1)
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'process_cpu_seconds',
    help: 'User and system CPU time spent in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.set((user + system) / 1e6)
    },
  })
  return registers[0]!
}
