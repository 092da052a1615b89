import type { CardPlan, CardWish } from './card.ts'
import { planTap } from './card.ts'
import { type MasqueradePlan, type MasqueradeRange, type MasqueradeRequest, planMasquerade } from './masquerade.ts'
import { renderNftScript } from './nft-script.ts'
import type { PodLink } from './pod-link.ts'

/** The guest hides behind the pod's address: a bridge of its own with the pod as router, and NAT. */
export function masqueradeCard(wish: CardWish, link: PodLink, request: MasqueradeRequest): CardPlan {
  const plan = planMasquerade(link, wish.links.bridge, request)
  const ipv4 = plan.ranges.find(({ family }) => family === 4)
  const ipv6 = plan.ranges.find(({ family }) => family === 6)
  return {
    commands: [
      `link add name ${plan.bridge} address ${plan.bridgeMac} mtu ${plan.mtu} type bridge`,
      ...plan.ranges.map((range) => gatewayAddress(plan.bridge, range)),
      `link set dev ${plan.bridge} up`,
    ],
    tap: planTap(wish, plan.mtu),
    settings: settingsOf(plan),
    rules: renderNftScript(plan),
    cache: {
      mac: link.mac,
      mtu: plan.mtu,
      ...(ipv4 && {
        ipv4: {
          address: ipv4.guest,
          prefixLength: ipv4.prefix,
          server: ipv4.gateway,
          router: ipv4.gateway,
          routes: [],
        },
      }),
      ...(ipv6 && { ipv6: { address: ipv6.guest } }),
    },
  }
}

// Nobody else is on this link, so a duplicate address check would only make the gateway tentative for a second.
const gatewayAddress = (bridge: string, { family, gateway, prefix }: MasqueradeRange): string =>
  `address add ${gateway}/${prefix} dev ${bridge}${family === 6 ? ' nodad' : ''}`

/** Packets are forwarded, and loopback packets may reach the guest. */
function settingsOf({ bridge, ranges }: MasqueradePlan): string[] {
  const has = (family: number): boolean => ranges.some((range) => range.family === family)
  return [
    ...(has(4) ? ['net/ipv4/ip_forward=1', `net/ipv4/conf/${bridge}/route_localnet=1`] : []),
    ...(has(6) ? ['net/ipv6/conf/all/forwarding=1'] : []),
  ]
}
