import { expect } from '@jest/globals'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { installMultus } from '../../framework/multus.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console } from '../../framework/virtctl.ts'
import { cardsVm } from '../../manifests/cards.ts'

const network = 'red'
const names = ['left', 'right'] as const

/** Guests on a network that Multus and its plugins make: by command only, as Multus has to be built for it. */
export function secondaryNetworkScenario(namespace: string): void {
  if (process.env['E2E_MULTUS'] !== '1') return

  scenario(
    "guests on Multus' network have the addresses of its plugins by DHCP and reach each other there",
    async () => {
      await using _multus = await installMultus()
      await apply({
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        metadata: { name: network, namespace },
        spec: { config: JSON.stringify(bridge) },
      })
      await apply(guest(namespace, 'left'))
      const node = (await vmiInPhase(namespace, 'left', 'Running')).status?.nodeName
      ensure(node, 'who runs has a node')
      await apply(guest(namespace, 'right', node))
      await vmiInPhase(namespace, 'right', 'Running')
      const [left, right] = await Promise.all(names.map((name) => addressOf(namespace, name)))
      expect(left).not.toBe(right)
      await using console = new Console(namespace, 'left')
      await console.logIn('root', 'kubevirt')
      await console.ask(
        'ip link set eth1 up; udhcpc -n -q -i eth1 -s /etc/udhcpc.script; ip -4 addr show eth1',
        address(left),
      )
      expect(await console.ask('cat /sys/class/net/eth1/mtu; echo en""d', /end/)).toContain('1400')
      await using other = new Console(namespace, 'right')
      await other.logIn('root', 'kubevirt')
      await other.ask(
        'ip link set eth1 up; udhcpc -n -q -i eth1 -s /etc/udhcpc.script; ip -4 addr show eth1',
        address(right),
      )
      await console.ask(`until ping -c 1 -W 5 -I eth1 ${right}; do sleep 0.3; done`, /1 packets received/)
      await kubectl('delete', 'vm', ...names, '-n', namespace, '--timeout=120s')
    },
    // The first time, Multus is built.
    3_600_000,
  )
}

/** A bridge of the node's with addresses from a range, as an administrator describes it. */
const bridge = {
  cniVersion: '0.4.0',
  name: network,
  type: 'bridge',
  bridge: 'red0',
  mtu: 1400,
  ipam: { type: 'host-local', subnet: '198.18.126.0/24' },
}

function guest(namespace: string, name: string, node?: string) {
  const vm = cardsVm({ name, namespace, graceSeconds: 0 })
  const { spec } = vm.spec.template
  Object.assign(spec.domain.devices, { interfaces: [...spec.domain.devices.interfaces, { name: network, bridge: {} }] })
  Object.assign(spec, {
    networks: [...spec.networks, { name: network, multus: { networkName: network } }],
    ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
  })
  return vm
}

const address = (of: string | undefined): RegExp => new RegExp(`inet ${of?.replaceAll('.', '\\.')}/24`)

/** What the pod was given for its second card, which the VMI tells. */
const addressOf = (namespace: string, name: string): Promise<string> =>
  eventually(`${name} tells of its card`, async () => {
    const { status } = await getVmi(namespace, name)
    const card = status?.interfaces?.find((each) => each.name === network)
    const given = card?.infoSource?.includes('multus-status') === true ? card.ipAddress : undefined
    ensure(given, JSON.stringify(status?.interfaces))
    return given
  })
