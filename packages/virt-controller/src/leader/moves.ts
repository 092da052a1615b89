// Controllers that make guests leave their nodes.
import { Expectations } from '@kubevirt-ts/controller'
import { createRenderer, launcherSettings } from '../launcher-pods.ts'
import { runDisruptionBudgetController, watchDisruptionBudgets } from '../watch/disruption-budget/controller.ts'
import { runEvacuationController, watchEvacuations } from '../watch/evacuation/controller.ts'
import { runMigrationController, watchMigrations } from '../watch/migration/controller.ts'
import { OwnWrites } from '../watch/own-writes.ts'
import { runWorkloadUpdater, watchWorkloads } from '../watch/workload-updater/controller.ts'
import type { LeaderParts, Shared } from './controller.ts'

export function migration(parts: LeaderParts, { queue, recorder, now }: Shared, signal: AbortSignal): Promise<void> {
  const { client, informers, config, options, log } = parts
  const work = queue('migration')
  const deps = {
    client,
    migrations: informers.migrations,
    vmis: informers.vmis,
    pods: informers.pods,
    attachments: informers.attachments,
    claims: informers.claims,
    storageClasses: informers.storageClasses,
    dataVolumes: informers.dataVolumes,
    settings: launcherSettings(options),
    nodes: informers.nodes,
    namespaceLabels: (namespace: string) => informers.namespaces.get(namespace)?.metadata.labels ?? {},
    configuration: () => config.configuration(),
    render: createRenderer(parts),
    events: recorder('virtualmachine-controller'),
    expectations: new Expectations(),
    ownWrites: new OwnWrites(),
    vmiWrites: new OwnWrites(),
    started: new Set<string>(),
    now,
  }
  watchMigrations(informers, work, deps)
  return runMigrationController(work, options.migrationThreads, deps, log.child({ controller: 'migration' }), signal)
}

export function evacuation(
  { client, informers, config, options, log }: LeaderParts,
  { queue, recorder }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('evacuation')
  const { nodes, vmis, migrations, pods } = informers
  const deps = {
    client,
    nodes,
    vmis,
    migrations,
    pods,
    configuration: () => config.configuration(),
    events: recorder('evacuation-controller'),
    expectations: new Expectations(),
  }
  watchEvacuations(informers, work, deps)
  return runEvacuationController(work, options.evacuationThreads, deps, log.child({ controller: 'evacuation' }), signal)
}

export function disruptionBudget(
  { client, informers, options, log }: LeaderParts,
  { queue, recorder }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('disruption-budget')
  const { budgets, vmis } = informers
  const deps = { client, budgets, vmis, events: recorder('disruptionbudget-controller') }
  watchDisruptionBudgets(budgets, work)
  const own = log.child({ controller: 'disruption-budget' })
  return runDisruptionBudgetController(work, options.disruptionBudgetThreads, deps, own, signal)
}

export function workloadUpdater(
  { client, informers, config, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('workload-update')
  const { vmis, migrations, pods } = informers
  const deps = {
    client,
    kubeVirt: () => config.kubeVirt(),
    vmis,
    migrations,
    pods,
    configuration: () => config.configuration(),
    launcherImage: options.launcherImage,
    events: recorder('workload-update-controller'),
    expectations: new Expectations(),
    lastEviction: { at: 0 },
    now,
  }
  watchWorkloads(informers, work, deps)
  return runWorkloadUpdater(work, deps, log.child({ controller: 'workload-updater' }), signal)
}
