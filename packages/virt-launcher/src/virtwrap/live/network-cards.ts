import { writeXml, type DomainInterface, type XmlElement } from '@kubevirt-ts/domain'
import { changesOfCards } from '../network-cards.ts'
import type { LiveChange } from './index.ts'

/** The running guest and the definition of its next start. */
const everywhere = { live: true, config: true } as const

/**
 * Plugs network cards that the VMI gained into the running guest, asks the guest to give up those that are absent, and
 * sets links up and down. Cards whose pod side is not built yet are left for the next sync.
 */
export const plugNetworkCards: LiveChange = async ({ vmi, domain, wanted, present, launcher }) => {
  const { network, log } = launcher
  const plan = await network.prepare(vmi)
  const cards = present.devices.interface ?? []
  const { attach, detach, update } = changesOfCards(cards, wanted.devices.interface ?? [], plan)
  for (const { name, card } of attach) {
    await domain.attachDevice(xmlOf(card), everywhere)
    log.info({ card: name }, 'network card plugged in')
  }
  for (const { name, card } of detach) {
    network.release(vmi, name)
    await domain.detachDevice(xmlOf(card), everywhere)
    log.info({ card: name }, 'the guest was asked to give up a network card')
  }
  for (const { name, card } of update) {
    await domain.updateDevice(xmlOf(card), everywhere)
    log.info({ card: name, link: card.link?.$state ?? 'up' }, 'link of a network card changed')
  }
}

const xmlOf = (card: DomainInterface): string => writeXml('interface', card as unknown as XmlElement)
