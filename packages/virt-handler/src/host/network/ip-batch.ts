import type { MasqueradePlan, MasqueradeRange } from './masquerade.ts'

/** Owner of the tap: the user QEMU runs as. */
const guestUser = 107

/** Input of `ip -batch -`: the bridge with its gateway addresses and the guest's tap on it. */
export function renderIpBatch(plan: MasqueradePlan): string {
  const { bridge, tap, mtu } = plan
  const queues = plan.queues > 1 ? ' multi_queue' : ''
  return lines([
    `link add name ${bridge} address ${plan.bridgeMac} mtu ${mtu} type bridge`,
    ...plan.ranges.map((range) => gatewayAddress(bridge, range)),
    `link set dev ${bridge} up`,
    `tuntap add dev ${tap} mode tap user ${guestUser} group ${guestUser}${queues}`,
    `link set dev ${tap} mtu ${mtu}`,
    `link set dev ${tap} master ${bridge}`,
    `link set dev ${tap} up`,
  ])
}

// Nobody else is on this link, so a duplicate address check would only make the gateway tentative for a second.
const gatewayAddress = (bridge: string, { family, gateway, prefix }: MasqueradeRange): string =>
  `address add ${gateway}/${prefix} dev ${bridge}${family === 6 ? ' nodad' : ''}`

/** The switches under /proc/sys that must be 1: packets are forwarded, and loopback packets may reach the guest. */
export function wantedSwitches(plan: MasqueradePlan): string[] {
  const has = (family: number): boolean => plan.ranges.some((range) => range.family === family)
  return [
    ...(has(4) ? ['net/ipv4/ip_forward', `net/ipv4/conf/${plan.bridge}/route_localnet`] : []),
    ...(has(6) ? ['net/ipv6/conf/all/forwarding'] : []),
  ]
}

const lines = (each: readonly string[]): string => each.map((line) => `${line}\n`).join('')
