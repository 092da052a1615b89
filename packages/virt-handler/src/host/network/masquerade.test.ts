import { describe, expect, test } from '@jest/globals'
import { linkNames } from '@kubevirt-ts/vmispec'
import type { CardPlan, CardWish } from './card.ts'
import { linkBatches } from './link-batches.ts'
import { masqueradeCard } from './masquerade-card.ts'
import { type MasqueradeRequest, planMasquerade } from './masquerade.ts'
import { parsePodLink, type PodLink } from './pod-link.ts'

const ipv4 = { family: 4, address: '198.18.1.5', prefix: 24 } as const
const ipv6 = { family: 6, address: 'fd00::5', prefix: 64 } as const
const link = (...addresses: PodLink['addresses']): PodLink => ({
  name: 'eth0',
  mac: '0a:58:0a:00:00:05',
  mtu: 1480,
  addresses,
  routes: [],
})
const wish: MasqueradeRequest = { ports: [] }
const bridge = 'k6t-eth0'
const lines = (plan: CardPlan): string =>
  linkBatches(plan, undefined)
    .flatMap(({ commands }) => commands)
    .map((each) => `${each}\n`)
    .join('')

/** What is done for the card of a pod with this link. */
function cardOn(podLink: PodLink, request: MasqueradeRequest = wish, queues = 1): CardPlan {
  const card: CardWish = {
    name: 'default',
    links: linkNames({ name: 'default', pod: {} }),
    queues,
    attachment: { kind: 'masquerade', ...request },
  }
  return masqueradeCard(card, podLink, request)
}

describe('a pod with IPv4', () => {
  const plan = cardOn(link(ipv4))

  test('gets a bridge with the gateway and a tap of the guest user', () => {
    expect(lines(plan)).toBe(`link add name k6t-eth0 address 02:00:00:00:00:00 mtu 1480 type bridge
address add 10.0.2.1/24 dev k6t-eth0
link set dev k6t-eth0 up
tuntap add dev tap0 mode tap user 107 group 107
link set dev tap0 mtu 1480
link set dev tap0 master k6t-eth0
link set dev tap0 up
`)
  })

  test('forwards packets, also those sent to loopback', () => {
    expect(plan.settings).toEqual(['net/ipv4/ip_forward=1', 'net/ipv4/conf/k6t-eth0/route_localnet=1'])
  })

  test('sends every inbound port to the guest and hides the guest behind the pod', () => {
    expect(plan.rules).toBe(`add table ip nat
flush table ip nat
table ip nat {
	chain KUBEVIRT_PREINBOUND {
		counter dnat to 10.0.2.2
	}
	chain KUBEVIRT_POSTINBOUND {
		ip saddr { 127.0.0.1 } counter snat to 10.0.2.1
	}
	chain prerouting {
		type nat hook prerouting priority -100;
		iifname "eth0" counter jump KUBEVIRT_PREINBOUND
	}
	chain input {
		type nat hook input priority 100;
	}
	chain output {
		type nat hook output priority -100;
		ip daddr { 127.0.0.1 } counter dnat to 10.0.2.2
	}
	chain postrouting {
		type nat hook postrouting priority 100;
		ip saddr 10.0.2.2 counter masquerade
		oifname "k6t-eth0" counter jump KUBEVIRT_POSTINBOUND
	}
}
`)
  })
})

test('listed ports alone are forwarded', () => {
  const script = cardOn(link(ipv4), { ports: [{ port: 80 }, { port: 53, protocol: 'UDP' }] }).rules

  expect(script).toContain(
    '\t\ttcp dport { 80 } counter dnat to 10.0.2.2\n\t\tudp dport { 53 } counter dnat to 10.0.2.2\n',
  )
  expect(script).toContain('tcp dport 80 ip saddr { 127.0.0.1 } counter snat to 10.0.2.1')
  expect(script).toContain('ip daddr { 127.0.0.1 } udp dport 53 counter dnat to 10.0.2.2')
  expect(script).not.toContain('\t\tcounter dnat')
})

test('a pod with both families gets both gateways and both tables', () => {
  const plan = cardOn(link(ipv4, ipv6), wish, 4)

  expect(lines(plan)).toContain('address add fd10:0:2::1/120 dev k6t-eth0 nodad')
  expect(lines(plan)).toContain('group 107 multi_queue\n')
  expect(plan.settings).toContain('net/ipv6/conf/all/forwarding=1')
  expect(plan.rules).toContain('table ip6 nat {')
  expect(plan.rules).toContain('ip6 saddr fd10:0:2::2 counter masquerade')
})

test.each([
  ['10.11.12.77/29', '10.11.12.73', '10.11.12.74'],
  ['192.0.2.0/30', '192.0.2.1', '192.0.2.2'],
])('the range %s gives gateway %s and guest %s', (cidr, gateway, guest) => {
  expect(planMasquerade(link(ipv4), bridge, { ...wish, cidr }).ranges).toMatchObject([{ gateway, guest }])
})

test.each(['fd00:0:0:1::/64', '2001:db8::/126', 'fd10:0:2::/120'])(
  'the IPv6 range %s has a first and a second host',
  (ipv6Cidr) => {
    const [range] = planMasquerade(link(ipv6), bridge, { ...wish, ipv6Cidr }).ranges
    expect(range?.guest.endsWith('2')).toBe(true)
    expect(range?.gateway).toBe(ipv6Cidr.replace(/\/.*/, '1'))
  },
)

test.each(['10.0.2.0/31', '10.0.2.0', 'fd10::/120', '10.0.2.0/99', 'nonsense/8', '1.2.3/8'])(
  'the range %s is refused',
  (cidr) => {
    expect(() => planMasquerade(link(ipv4), bridge, { ...wish, cidr })).toThrow(cidr)
  },
)

test('the pod link is read from ip, without link-local addresses and routes that follow from addresses', () => {
  const json = JSON.stringify([
    { ifname: 'lo', mtu: 65536 },
    {
      ifname: 'eth0',
      address: '0a:58:0a:00:00:05',
      mtu: 1480,
      addr_info: [
        { family: 'inet', local: '198.18.1.5', prefixlen: 24, scope: 'global' },
        { family: 'inet6', local: 'fe80::1', prefixlen: 64, scope: 'link' },
      ],
    },
  ])
  const routes = JSON.stringify([
    { dst: 'default', gateway: '198.18.99.1', dev: 'eth0' },
    { dst: '198.18.1.0/24', dev: 'eth0', prefsrc: '198.18.1.5' },
    { dst: '198.18.99.1', dev: 'eth0' },
    { dst: '198.18.3.0/24', dev: 'other' },
  ])
  const expected = [{ destination: '0.0.0.0/0', gateway: '198.18.99.1' }, { destination: '198.18.99.1/32' }]
  const card = (pod: string) => ({ name: 'blue', links: { pod, renamedPod: '', tap: 'tap0', bridge: 'k6t-eth0' } })
  expect(parsePodLink(json, routes, card('eth0'))).toEqual({ ...link(ipv4), routes: expected })
  expect(() => parsePodLink(json, routes, card('eth1'))).toThrow('no network link eth1 for interface blue')
  const attached = { ...card('eth1'), definition: 'shop/blue' }
  expect(() => parsePodLink(json, routes, attached)).toThrow('definition shop/blue did not make it; Multus must run')
})
