import { expect } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, kubectl, launcherOf, list, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { namespace as productNamespace } from '../framework/product.ts'
import { scenario } from '../framework/scenario.ts'
import { Console } from '../framework/virtctl.ts'
import { inPlaceOfPodVm } from '../manifests/vms.ts'
import { secondaryNetworkScenario } from './network/secondary.ts'

export function networkChapter(): void {
  const namespace = testNamespace('network')

  const bindings = [
    { binding: 'bridge', title: 'a bridged guest' },
    { binding: 'passtBinding', title: 'a guest whose connections passt opens' },
  ] as const
  for (const { binding, title } of bindings)
    scenario(`${title} has the address of its pod, reaches others, and a service reaches it`, async () => {
      const name = binding.toLowerCase()
      await apply(inPlaceOfPodVm(binding, { name, namespace, graceSeconds: 0 }))
      const selector = { 'kubevirt.io/vm': name }
      await apply({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace },
        spec: { selector, ports: [{ port: 80 }] },
      })
      const vmi = await vmiInPhase(namespace, name, 'Running')
      const { status } = await launcherOf(namespace, vmi.metadata?.uid ?? '')
      const address = status?.podIP ?? 'none'
      await eventually('the VMI shows the address of its pod', async () => {
        const shown = (await vmiInPhase(namespace, name, 'Running')).status?.interfaces?.[0]?.ipAddress
        ensure(shown === address, `it shows ${shown}`)
      })
      await using console = new Console(namespace, name)
      await console.logIn('root', 'kubevirt')
      // The login prompt does not wait for the lease.
      const shown = new RegExp(`inet ${address.replaceAll('.', '\\.')}/24`)
      await console.ask('until ip -4 addr show eth0 | grep inet; do sleep 0.3; done', shown)
      const route = await console.ask('until ip route | grep default; do sleep 0.3; done', /default via \S+ /)
      const [, gateway] = /default via (\S+) /.exec(route) ?? []
      await console.ask(`until ping -c 1 -W 5 ${gateway}; do sleep 0.3; done`, /1 packets received/)

      const page = await eventually('the service answers', () => fetchFromCluster(`http://${name}.${namespace}/`))
      expect(page).toContain('a guest of kubevirt-ts')
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    })

  secondaryNetworkScenario(namespace)
}

/** Asks from inside the cluster. */
async function fetchFromCluster(url: string): Promise<string> {
  const [pod] = await list<Pod>('pod', productNamespace, 'kubevirt.io=virt-api')
  const program = `fetch('${url}').then(async (answer) => console.log(await answer.text()))`
  const target = ['-n', productNamespace, pod?.metadata.name ?? '', '-c', 'virt-api']
  return kubectl('exec', ...target, '--', '/usr/bin/node', '-e', program)
}
