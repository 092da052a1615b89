import { expect } from '@jest/globals'
import { eventually } from '../framework/eventually.ts'
import { apply, getVmi, helm, kubectl, launcherOf, list, qemuPid, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { namespace as productNamespace, release, upgrade, upgradeTag } from '../framework/product.ts'
import { scenario } from '../framework/scenario.ts'
import { Console } from '../framework/virtctl.ts'
import { tinyVm } from '../manifests/vms.ts'
import type { Pod } from '@kubevirt-ts/api'

export function upgradeChapter(): void {
  const namespace = testNamespace('upgrade')
  const name = 'survivor'

  scenario(
    'helm upgrade to another tag and other values leaves a running guest alone',
    async () => {
      await apply(tinyVm({ name, namespace }))
      const before = await vmiInPhase(namespace, name, 'Running')
      const pod = await launcherOf(namespace, before.metadata?.uid ?? '')
      const pid = await qemuPid(pod)

      await upgrade()
      for (const workload of [
        'deployment/virt-api',
        'deployment/virt-controller',
        'deployment/stickyvm-scheduler',
        'daemonset/virt-handler',
      ]) {
        await kubectl('-n', productNamespace, 'rollout', 'status', workload, '--timeout=180s')
      }
      await kubectl('-n', productNamespace, 'wait', 'kv/kubevirt', '--for=condition=Available', '--timeout=120s')

      const components = await list<Pod>(
        'pod',
        productNamespace,
        'kubevirt.io in (virt-api,virt-controller,virt-handler,stickyvm-scheduler)',
      )
      const images = components
        .filter((p) => !p.metadata.deletionTimestamp)
        .map((p) => p.spec?.containers[0]?.image ?? '')
      expect(images.filter((image) => !image.endsWith(`:${upgradeTag}`))).toEqual([])
      expect(await qemuPid(pod)).toBe(pid)
      expect((await getVmi(namespace, name)).status?.phase).toBe('Running')
      await eventually('the console answers through the new version', async () => {
        await using console = new Console(namespace, name)
        await console.logIn('root', 'kubevirt', 60_000)
      })
    },
    600_000,
  )

  scenario('the release is deployed', async () => {
    expect(await helm('-n', productNamespace, 'status', release)).toContain('STATUS: deployed')
  })
}
