import { expect } from '@jest/globals'
import { eventually } from '../framework/eventually.ts'
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

      expect((await names('crds')).filter((name) => name.includes('kubevirt.io'))).toEqual([])
      // What belonged to these goes by Kubernetes' own hands, a moment after its owner.
      await eventually(
        'nothing is left',
        async () => expect(await leftovers()).toEqual(['serviceaccount/default']),
        30_000,
      )
    },
    600_000,
  )

  scenario('uninstalling what is not there is no error of the cluster', async () => {
    await eventually(
      'the API has forgotten the kinds',
      async () => {
        const { stdout } = await tryKubectl(['api-resources', '--api-group=kubevirt.io', '-o', 'name'])
        expect(stdout).toBe('')
      },
      30_000,
    )
  })
}

/** Everything that may be the product's, and what Kubernetes itself has in each namespace. */
async function leftovers(): Promise<string[]> {
  const cluster = [
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'clusterroles',
    'clusterrolebindings',
    'priorityclasses',
    'apiservices',
  ].join(',')
  const isOurs = (name: string) => /kubevirt|virt-api|stickyvm/.test(name)
  return [
    ...(await names('pods', '-A', '-l', 'kubevirt.io')),
    ...(await names(cluster)).filter(isOurs),
    ...(await names('configmaps', '-n', productNamespace)).filter(isOurs),
    ...(await names(namespacedKinds, '-n', productNamespace)),
  ]
}

const names = async (kinds: string, ...args: string[]): Promise<string[]> =>
  (await kubectl('get', kinds, ...args, '-o', 'name')).split('\n').filter((name) => name !== '')
