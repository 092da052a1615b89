import { expect } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, launcherOf, patchVm, vmiInPhase } from '../../framework/kubectl.ts'
import { ipInPod } from '../../framework/node.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console } from '../../framework/virtctl.ts'
import { addCard, cardsVm, setCardState } from '../../manifests/cards.ts'

const name = 'carded'
const asked = 'k8s.v1.cni.cncf.io/networks'
const told = 'k8s.v1.cni.cncf.io/network-status'

/** The cluster has no Multus: the test joins the pod to the network in its place, as soon as the product asks for it. */
export function cardScenarios(namespace: string): void {
  scenario(
    'network cards are plugged into a running guest and serve it, one goes down and up, and comes out again',
    async () => {
      await apply(cardsVm({ name, namespace, graceSeconds: 0 }))
      const vmi = await vmiInPhase(namespace, name, 'Running')
      await using console = new Console(namespace, name)
      await console.logIn('root', 'kubevirt')
      expect(await console.ask('ls /sys/class/net; echo en""d', /end/)).not.toContain('eth1')

      await plugIn(vmi, 'blue')
      await ipInPod(vmi, 'address add 10.77.0.1/24 dev far-blue')
      await eventually('the guest has the card', () => console.ask('ls /sys/class/net', /eth1/, 1_000))
      await console.ask('ip addr add 10.77.0.2/24 dev eth1; ip link set eth1 up; echo re""ady', /ready/)
      // The first packets find a link that is just coming up.
      await console.ask('until ping -c 1 -W 5 10.77.0.1; do sleep 0.3; done', /1 packets received/)
      await eventually('the status tells of the card', async () => {
        const { status } = await getVmi(namespace, name)
        const card = status?.interfaces?.find((each) => each.name === 'blue')
        ensure(card?.infoSource === 'domain, multus-status', JSON.stringify(status?.interfaces))
      })

      await plugIn(vmi, 'green', 'blue')
      await eventually('the guest has another', () => console.ask('ls /sys/class/net', /eth2/, 1_000))

      await patchVm(namespace, name, setCardState('down'))
      await console.ask(carrierIs(0), /carrier-is-0/)
      await patchVm(namespace, name, setCardState('up'))
      await console.ask(carrierIs(1), /carrier-is-1/)

      await patchVm(namespace, name, setCardState('absent'))
      await console.ask('while [ -e /sys/class/net/eth1 ]; do sleep 0.2; done; echo go""ne', /gone/)
      await eventually('the VMI has forgotten it', async () => {
        const { spec } = await getVmi(namespace, name)
        ensure(spec.domain.devices.interfaces?.length === 2, JSON.stringify(spec.domain.devices.interfaces))
      })
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    },
  )
}

const carrierIs = (value: number): string =>
  `until [ "$(cat /sys/class/net/eth1/carrier)" = ${value} ]; do sleep 0.2; done; echo carrier-""is-${value}`

/** Adds a card to the VM and joins the pod to its network; the far end of its link is `far-CARD`. */
async function plugIn(vmi: VirtualMachineInstance, card: string, ...before: readonly string[]): Promise<void> {
  const { namespace = '', uid = '' } = vmi.metadata
  await patchVm(namespace, name, addCard(card, networkOf(card)))
  const links = await eventually('Multus is asked for a link', async () => {
    const { metadata } = await launcherOf(namespace, uid)
    const wanted = JSON.parse(metadata.annotations?.[asked] ?? '[]') as { name: string; interface: string }[]
    ensure(wanted.length === before.length + 1, JSON.stringify(metadata.annotations))
    return wanted
  })
  const link = links.find((each) => each.name === networkOf(card))?.interface
  ensure(link, JSON.stringify(links))
  await ipInPod(vmi, `link add ${link} type veth peer name far-${card}`)
  await ipInPod(vmi, `link set far-${card} up`)
  await ipInPod(vmi, `link set ${link} up`)
  await tell(
    namespace,
    uid,
    links.map((each) => ({ name: `${namespace}/${each.name}`, interface: each.interface })),
  )
}

const networkOf = (card: string): string => `${card}-net`

async function tell(namespace: string, uid: string, links: readonly object[]): Promise<void> {
  const { metadata } = await launcherOf(namespace, uid)
  const annotations = { [told]: JSON.stringify(links) }
  await kubectl(
    'patch',
    'pod',
    metadata.name,
    '-n',
    namespace,
    '--type=merge',
    '-p',
    JSON.stringify({ metadata: { annotations } }),
  )
}
