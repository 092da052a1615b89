import type { CardPlan } from './card.ts'
import type { PodLink } from './pod-link.ts'

/** Group of the user that passt runs as. */
const guestGroup = 107

/** passt opens the guest's connections from the pod itself: ports below 1024 and pings are to be open to its user. */
export function planPasst({ mac, mtu }: PodLink): CardPlan {
  return {
    commands: [],
    settings: [`net/ipv4/ping_group_range=${guestGroup} ${guestGroup}`, 'net/ipv4/ip_unprivileged_port_start=0'],
    cache: { mac, mtu },
  }
}
