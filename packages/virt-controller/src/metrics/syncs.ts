import { keyOf } from '@kubevirt-ts/controller'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { Counter } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'

/** How often each VMI that exists was written by its controller; a number is all that is kept of one. */
export class SyncCounts {
  readonly #counts = new Map<string, number>()

  count(vmi: VirtualMachineInstance): void {
    const key = keyOf(vmi)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  forget(key: string): void {
    this.#counts.delete(key)
  }

  /** Serves the counts when somebody asks. */
  register(registry: Registry): void {
    const counts = this.#counts
    new Counter({
      name: 'kubevirt_vmi_sync_total',
      help: 'How often a VMI was written by its controller.',
      labelNames: ['namespace', 'name'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [key, count] of counts) {
          const [namespace = '', name = ''] = key.split('/')
          this.inc({ namespace, name }, count)
        }
      },
    })
  }
}
