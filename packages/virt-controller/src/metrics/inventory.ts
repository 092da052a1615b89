import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import type { Lister } from '@kubevirt-ts/controller'
import { Gauge } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'
import { isOutdated } from '../watch/outdated.ts'

export interface Inventory {
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'list'>
  readonly migrations: Pick<Lister<VirtualMachineInstanceMigration>, 'list'>
  readonly launcherImage: string
}

/** Phases that are counted together, under the name that they have in the metric. */
const groups: Readonly<Record<string, ReadonlySet<string>>> = {
  unset: new Set(['']),
  pending: new Set(['Pending']),
  scheduling: new Set(['Scheduling']),
  running: new Set(['Scheduled', 'PreparingTarget', 'TargetReady', 'Running']),
}

/** Registers what is counted from the caches when somebody asks; nothing is kept between two questions. */
export function registerInventoryMetrics(registry: Registry, { vmis, migrations, launcherImage }: Inventory): void {
  const registers = [registry]
  for (const [group, phases] of Object.entries(groups)) {
    new Gauge({
      name: `kubevirt_vmi_migrations_in_${group}_phase`,
      help: `Migrations in phase ${group}.`,
      registers,
      collect() {
        this.set(migrations.list().filter(({ status }) => phases.has(status?.phase ?? '')).length)
      },
    })
  }
  for (const phase of ['Succeeded', 'Failed']) {
    new Gauge({
      name: `kubevirt_vmi_migration_${phase.toLowerCase()}`,
      help: `Migrations that have ${phase.toLowerCase()}, of those that are kept.`,
      labelNames: ['vmi', 'vmim', 'namespace'],
      registers,
      collect() {
        this.reset()
        for (const { metadata, spec, status } of migrations.list()) {
          if (status?.phase !== phase) continue
          this.set({ vmi: spec.vmiName ?? '', vmim: metadata.name, namespace: metadata.namespace ?? '' }, 1)
        }
      },
    })
  }
  new Gauge({
    name: 'kubevirt_vmi_number_of_outdated',
    help: 'Guests that run in another launcher image than new ones get.',
    registers,
    collect() {
      this.set(vmis.list().filter((vmi) => isOutdated(vmi, launcherImage)).length)
    },
  })
}
