import { expect } from '@jest/globals'
import type { KubeVirt } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, get, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { install, namespace as product, patchKubeVirt, upgrade, upgradeTag } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { inPlaceOfPodVm } from '../../manifests/vms.ts'
import { finished, migrations } from './moves.ts'

const movable = ['dated-1', 'dated-2', 'dated-3']
/** A bridged guest cannot move, and is started anew. */
const fixed = 'dated-bridged'
const atOnce = 2

/** After an upgrade of the product: guests get its launcher by moving, so many at once as the cluster lets move. */
export function updaterScenario(namespace: string): void {
  scenario(
    'guests of an outdated launcher image move to the new one in batches; one that cannot move is started anew',
    async () => {
      const graceSeconds = 0
      for (const name of movable) await apply(tickingVm({ name, namespace, graceSeconds }))
      await apply(inPlaceOfPodVm('bridge', { name: fixed, namespace, graceSeconds }))
      const before = new Map<string, string>()
      for (const name of [...movable, fixed]) {
        before.set(name, (await vmiInPhase(namespace, name, 'Running')).metadata.uid ?? '')
      }
      try {
        await upgrade()
        const batchEviction = { batchEvictionSize: 1, batchEvictionInterval: '5s' }
        await patchKubeVirt({
          workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate', 'Evict'], ...batchEviction },
          configuration: { migrations: { parallelMigrationsPerCluster: atOnce } },
        })
        let most = 0
        await eventually(
          'every guest runs in a launcher of the new image',
          async () => {
            const open = (await migrations(namespace)).filter(({ status }) => !finished.includes(status?.phase ?? ''))
            most = Math.max(most, open.length)
            for (const name of before.keys()) {
              const { status } = await getVmi(namespace, name)
              const image = status?.launcherContainerImageVersion ?? ''
              ensure(status?.phase === 'Running' && image.endsWith(`:${upgradeTag}`), `${name} runs in ${image}`)
            }
          },
          400_000,
        )
        expect(most).toBeGreaterThan(0)
        expect(most).toBeLessThanOrEqual(atOnce)
        for (const name of movable) expect((await getVmi(namespace, name)).metadata.uid).toBe(before.get(name))
        expect((await getVmi(namespace, fixed)).metadata.uid).not.toBe(before.get(fixed))
        await eventually('the KubeVirt resource counts none that is outdated', async () => {
          const { status } = await get<KubeVirt>('kubevirt', product, 'kubevirt')
          const outdated = status?.outdatedVirtualMachineInstanceWorkloads
          ensure(outdated === 0, `it counts ${outdated}`)
        })
      } finally {
        await patchKubeVirt({ workloadUpdateStrategy: null, configuration: { migrations: null } })
        await kubectl('delete', 'vm', ...before.keys(), '-n', namespace, '--timeout=120s')
        await install()
      }
    },
    900_000,
  )
}
