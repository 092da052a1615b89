import type { Interface, KubeVirtConfiguration, Network, VirtualMachineInstance } from '@kubevirt-ts/api'
import {
  bindingOf,
  isSecondaryMultus,
  linkNames,
  masqueradeCidrs,
  networkNamed,
  presentInterfaces,
  vcpus,
} from '@kubevirt-ts/vmispec'
import type { Attachment, CardWish } from '../host/network/card.ts'
import { CriticalNetworkError } from '../host/network/phase1.ts'

/**
 * What must be built in the pod for the VMI's network cards, in the order of the spec. Cards that the pod has no link
 * for yet, since they were added to a running guest, are left out.
 */
export function cardWishes(vmi: VirtualMachineInstance, configuration: KubeVirtConfiguration): CardWish[] {
  return presentInterfaces(vmi.spec).flatMap((card) => {
    const index = (vmi.spec.domain.devices.interfaces ?? []).indexOf(card)
    const network = networkNamed(vmi.spec, card.name)
    if (network === undefined) throw new CriticalNetworkError(`interface ${card.name} has no network of its name`)
    const attachment = attachmentOf(card, network, index, configuration)
    if (attachment === undefined || !hasLink(vmi, network)) return []
    const definition = network.multus?.networkName
    const [links, queues] = [linksOf(vmi, network), queuesOf(vmi, card)]
    return [{ name: card.name, links, queues, attachment, ...(definition && { definition }) }]
  })
}

/** What was built for cards that the spec marks as absent. */
export function absentCards(vmi: VirtualMachineInstance, configuration: KubeVirtConfiguration): CardWish[] {
  return (vmi.spec.domain.devices.interfaces ?? []).flatMap((card, index) => {
    const network = networkNamed(vmi.spec, card.name)
    if (card.state !== 'absent' || network === undefined) return []
    const attachment = attachmentOf(card, network, index, configuration)
    return attachment === undefined ? [] : [{ name: card.name, links: linksOf(vmi, network), queues: 1, attachment }]
  })
}

/** How a binding plugin wants its cards to be attached; undefined when its sidecar does that. */
export function pluginAttachment(card: Interface, { network }: KubeVirtConfiguration): string | undefined {
  return card.binding && network?.binding?.[card.binding.name]?.domainAttachmentType
}

function attachmentOf(
  card: Interface,
  network: Network,
  index: number,
  configuration: KubeVirtConfiguration,
): Attachment | undefined {
  switch (bindingOf(card)) {
    case 'masquerade': {
      const { ipv4, ipv6 } = masqueradeCidrs(network)
      return { kind: 'masquerade', ports: card.ports ?? [], cidr: ipv4, ipv6Cidr: ipv6 }
    }
    case 'bridge':
      return { kind: 'bridge', serverAddress: `169.254.75.1${index}` }
    case 'passtBinding':
      return { kind: 'passt' }
    case 'plugin':
      return pluginAttachment(card, configuration) === 'managedTap' ? { kind: 'managedTap' } : undefined
    // The network's plugin or the guest's own driver does all of it.
    case 'sriov':
    case undefined:
      return undefined
  }
}

/** A guest is started when its pod is complete; what is added later has a link when Multus has said so. */
function hasLink({ status }: VirtualMachineInstance, network: Network): boolean {
  if (status?.phase !== 'Running' || !isSecondaryMultus(network)) return true
  const sources = status.interfaces?.find(({ name }) => name === network.name)?.infoSource ?? ''
  return sources.split(', ').includes('multus-status')
}

function linksOf({ status }: VirtualMachineInstance, network: Network) {
  return linkNames(network, status?.interfaces?.find(({ name }) => name === network.name)?.podInterfaceName)
}

function queuesOf({ spec }: VirtualMachineInstance, { model }: Interface): number {
  const multiqueue = spec.domain.devices.networkInterfaceMultiqueue === true && (model ?? 'virtio') === 'virtio'
  return multiqueue ? vcpus(spec) : 1
}
