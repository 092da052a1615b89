import { expect } from '@jest/globals'
import { apply, helm, kubectl, tryKubectl, vmiInPhase } from '../framework/kubectl.ts'
import { namespace as productNamespace, release } from '../framework/product.ts'
import { scenario } from '../framework/scenario.ts'
import { tinyVm } from '../manifests/vms.ts'

const namespace = 'e2e-uninstall'

export function uninstallChapter(): void {
  scenario(
    'helm uninstall stops the VMs first and leaves nothing behind',
    async () => {
      await kubectl('create', 'namespace', namespace)
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
        expect((await names(kind)).filter((name) => /kubevirt|virt-api/.test(name))).toEqual([])
      }
      expect(await names('all,secrets,leases,serviceaccounts,roles,rolebindings', '-n', productNamespace)).toEqual([
        'serviceaccount/default',
      ])
      expect((await names('configmaps', '-n', productNamespace)).filter((name) => name.includes('kubevirt'))).toEqual(
        [],
      )
      await kubectl('delete', 'namespace', namespace, '--timeout=60s')
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
