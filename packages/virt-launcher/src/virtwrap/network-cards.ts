import { deviceName, type DomainInterface, type DomainSpec } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service'
import type { NetworkPlan } from './launcher.ts'

/** The card's name in the VMI. */
export function cardName(card: DomainInterface): string {
  return deviceName(card) ?? ''
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

export type NamedCard = { readonly name: string; readonly card: DomainInterface }

/** What makes the cards that a guest has into those that it is to have. */
export function changesOfCards(
  present: readonly DomainInterface[],
  wanted: readonly DomainInterface[],
  plan: NetworkPlan,
): { attach: NamedCard[]; detach: NamedCard[]; update: NamedCard[] } {
  const has = new Map(present.map((card) => [cardName(card), card]))
  const wants = new Map(wanted.map((card) => [cardName(card), card]))
  return {
    attach: wanted.flatMap((card) => {
      const joined = has.has(cardName(card)) ? undefined : joinTap(card, plan)
      return joined === undefined ? [] : [{ name: cardName(card), card: joined }]
    }),
    detach: present.filter((card) => !wants.has(cardName(card))).map((card) => ({ name: cardName(card), card })),
    update: present.flatMap((card) => {
      const name = cardName(card)
      const wish = wants.get(name)
      if (wish === undefined || linkOf(wish) === linkOf(card)) return []
      return [{ name, card: { ...card, link: { $state: linkOf(wish) } } }]
    }),
  }
}

const linkOf = ({ link }: DomainInterface): 'up' | 'down' => (link?.$state === 'down' ? 'down' : 'up')
