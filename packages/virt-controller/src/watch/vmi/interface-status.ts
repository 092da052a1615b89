import type { Pod, VirtualMachineInstance, VirtualMachineInstanceNetworkInterface } from '@kubevirt-ts/api'
import { networkStatus, podLinks, secondaryCards } from './pod-networks.ts'

const order = ['domain', 'guest-agent', 'multus-status']

/** The interfaces with Multus's word for which of them the pod has its link; the other words are the node agent's. */
export function withPodLinks(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
): VirtualMachineInstanceNetworkInterface[] | undefined {
  const before = vmi.status?.interfaces
  if (pod?.metadata.annotations?.[networkStatus] === undefined) return before
  const links = podLinks(pod)
  const linked = new Map(
    secondaryCards(vmi).flatMap(({ iface, link }) => (links.has(link) ? [[iface.name, link] as const] : [])),
  )
  const known = (before ?? []).map((each) => withSource(each, linked.get(each.name ?? '')))
  const fresh = [...linked].flatMap(([name, link]) =>
    known.some((each) => each.name === name) ? [] : [withSource({ name }, link)],
  )
  return [...known, ...fresh]
}

function withSource(
  known: VirtualMachineInstanceNetworkInterface,
  link: string | undefined,
): VirtualMachineInstanceNetworkInterface {
  const sources = new Set((known.infoSource ?? '').split(', ').filter((source) => source !== ''))
  if (sources.has('multus-status') === (link !== undefined)) return known
  if (link === undefined) sources.delete('multus-status')
  else sources.add('multus-status')
  const infoSource = order.filter((source) => sources.has(source)).join(', ')
  return { ...known, ...(link === undefined ? {} : { podInterfaceName: link }), infoSource }
}
