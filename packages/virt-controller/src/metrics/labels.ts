import type { VirtualMachine } from '@kubevirt-ts/api'
import { Gauge } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'

const own = ['name', 'namespace'] as const

/** Each VM's labels as labels of a series, so that other metrics can be joined with them. */
export function registerVmLabels(registry: Registry, vms: () => readonly VirtualMachine[]): void {
  new LabelGauge(registry, vms)
}

/** The library wants to know all label names beforehand, which users choose here. */
class LabelGauge extends Gauge<string> {
  readonly #vms: () => readonly VirtualMachine[]

  constructor(registry: Registry, vms: () => readonly VirtualMachine[]) {
    super({ name: 'kubevirt_vm_labels', help: "A VM's labels.", labelNames: [...own], registers: [registry] })
    this.#vms = vms
  }

  override async get() {
    const values = this.#vms().map(({ metadata: { name, namespace = '', labels = {} } }) => ({
      labels: { name, namespace, ...seriesLabels(labels) },
      value: 1,
    }))
    return { ...(await super.get()), values }
  }
}

/**
 * Prometheus allows letters, digits and underscores: every other character becomes an underscore. Of two labels that
 * become the same one the later by name gets a number, as kube-state-metrics does.
 */
export function seriesLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const given: Record<string, string> = {}
  const seen = new Map<string, number>()
  for (const [key, value] of Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const name = `label_${key.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`
    const conflicts = seen.get(name) ?? 0
    seen.set(name, conflicts + 1)
    given[conflicts === 0 ? name : `${name}_conflict${conflicts}`] = value
  }
  return given
}
