import { keyFor } from '@kubevirt-ts/controller'
import type { Registry } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import type { Informers } from '../informers.ts'
import { registerFamilies } from './family.ts'
import { registerInventoryMetrics } from './inventory.ts'
import { registerVmLabels } from './labels.ts'
import { migrationFamilies } from './migrations.ts'
import { snapshotFamilies } from './snapshots.ts'
import { vmFamilies } from './vm.ts'
import { vmiFamilies } from './vmi.ts'

/** Registers all that is counted from the caches when somebody asks. */
export function registerCacheMetrics(
  registry: Registry,
  informers: Informers,
  config: Pick<ClusterConfig, 'configuration'>,
  launcherImage: string,
): void {
  const { vms, vmis, migrations, pods, claims, snapshots } = informers
  registerInventoryMetrics(registry, { vmis, migrations, launcherImage })
  const ofVms = vmFamilies({ claim: (namespace, name) => claims.get(keyFor(namespace, name)) })
  const ofVmis = vmiFamilies({
    podsOf: ({ metadata }) => pods.byIndex('byVmiUid', metadata.uid ?? ''),
    evictionStrategy: () => config.configuration().evictionStrategy,
  })
  registerFamilies(registry, () => vms.list(), ofVms)
  registerVmLabels(registry, () => vms.list())
  registerFamilies(registry, () => vmis.list(), ofVmis)
  registerFamilies(registry, () => migrations.list(), migrationFamilies)
  registerFamilies(registry, () => snapshots.list(), snapshotFamilies)
}
