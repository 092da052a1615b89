import type { DomainInterface, DomainSpec } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service'
import type { NetworkPlan } from './launcher.ts'

/** The card's name in the VMI. */
export function cardName({ alias }: DomainInterface): string {
  return alias?.$name.replace(/^ua-/, '') ?? ''
}

/**
 * The domain with its cards on the taps in the pod. Throws for a card without tap: the guest would have a network card
 * that leads nowhere.
 */
export function withNetwork(domain: DomainSpec, plan: NetworkPlan): DomainSpec {
  const cards = domain.devices.interface?.map((card) => {
    const joined = joinTap(card, plan)
    if (joined !== undefined) return joined
    throw new VirtError(
      'NetworkLinkMissing',
      `virt-handler has not built the network of interface ${cardName(card)}; it does so before the guest is started`,
    )
  })
  return { ...domain, devices: { ...domain.devices, interface: cards } }
}

/** The card on its tap; as it is when it needs none, undefined when there is none yet. */
export function joinTap(card: DomainInterface, plan: NetworkPlan): DomainInterface | undefined {
  if (card.$type !== 'ethernet') return card
  const link = plan.get(cardName(card))
  if (link === undefined) return undefined
  return {
    ...card,
    target: { $dev: link.tap, $managed: 'no' },
    mac: card.mac ?? (link.mac ? { $address: link.mac } : undefined),
    mtu: link.mtu ? { $size: String(link.mtu) } : undefined,
  }
}
