import { expect } from '@jest/globals'
import { apply, helm, kubectl, tryKubectl, vmiInPhase } from '../framework/kubectl.ts'
import { namespace as productNamespace, release } from '../framework/product.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { tinyVm } from '../manifests/vms.ts'

// Not `all`: kubectl would look for the kinds that have just gone.
const namespacedKinds = [
  'pods,services,deployments,daemonsets,jobs,poddisruptionbudgets',
  'secrets,leases,serviceaccounts,roles,rolebindings',
].join(',')

export function uninstallChapter(): void {
  const namespace = testNamespace('uninstall')

  scenario(
    'helm uninstall stops the VMs first and leaves nothing behind',
    async () => {
      await apply(tinyVm({ name: 'last', namespace }))
      await vmiInPhase(namespace, 'last', 'Running')

      await helm('-n', productNamespace, 'uninstall', release, '--wait', '--timeout', '8m')

      expect(await names('pods', '-A', '-l', 'kubevirt.io')).toEqual([])
      expect((await names('crds')).filter((name) => name.includes('kubevirt.io'))).toEqual([])
      expect((await names('apiservices')).filter((name) => name.includes('kubevirt.io'))).toEqual([])
      const cluster = [
        'mutatingwebhookconfigurations',
        'validatingwebhookconfigurations',
        'clusterroles',
        'clusterrolebindings',
      ]
      for (const kind of [...cluster, 'priorityclasses']) {
        expect((await names(kind)).filter((name) => /kubevirt|virt-api|stickyvm/.test(name))).toEqual([])
      }
      expect(await names(namespacedKinds, '-n', productNamespace)).toEqual(['serviceaccount/default'])
      expect((await names('configmaps', '-n', productNamespace)).filter((name) => name.includes('kubevirt'))).toEqual(
        [],
      )
    },
    600_000,
  )

  scenario('uninstalling what is not there is no error of the cluster', async () => {
    const { stdout } = await tryKubectl(['api-resources', '--api-group=kubevirt.io', '-o', 'name'])
    expect(stdout).toBe('')
  })
}

const names = async (kinds: string, ...args: string[]): Promise<string[]> =>
  (await kubectl('get', kinds, ...args, '-o', 'name')).split('\n').filter((name) => name !== '')
