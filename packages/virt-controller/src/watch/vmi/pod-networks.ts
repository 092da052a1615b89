import { annotation } from '@kubevirt-ts/api'
import type { Interface, Pod, VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { bindingOf, isSecondaryMultus, linkNames, networkNamed, presentInterfaces } from '@kubevirt-ts/vmispec'

/** Annotation in which Multus tells the networks that a pod has. */
export const networkStatus = 'k8s.v1.cni.cncf.io/network-status'

/** Definition of the network behind each link of a pod, as `namespace/name`. */
export type PodLinks = ReadonlyMap<string, string>

/** The links that the pod has as Multus tells; as long as it tells nothing, those that the pod was made with. */
export function podLinks(pod: Pod | undefined): PodLinks {
  const { annotations, namespace } = pod?.metadata ?? {}
  const told = annotations?.[networkStatus] ?? annotations?.[annotation.multusNetworks]
  const entries = listOf(told).flatMap((each) => {
    const { interface: link, name, namespace: its } = each as Record<string, unknown>
    if (typeof link !== 'string' || typeof name !== 'string') return []
    return [[link, qualified(name, typeof its === 'string' ? its : namespace)] as const]
  })
  return new Map(entries)
}

/** Others write the annotation too, so anything may be in it. */
function listOf(json: string | undefined): object[] {
  try {
    const value: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
  } catch {
    return []
  }
}

const qualified = (name: string, namespace: string | undefined): string =>
  name.includes('/') ? name : `${namespace ?? 'default'}/${name}`

export interface SecondaryCard {
  readonly iface: Interface
  /** Name of the pod's link. */
  readonly link: string
  /** Definition of the network, as `namespace/name`. */
  readonly definition: string
}

/** Cards of networks beside the pod's own. */
export function secondaryCards({ metadata, spec }: VirtualMachineInstance): SecondaryCard[] {
  return presentInterfaces(spec).flatMap((iface) => {
    const network = networkNamed(spec, iface.name)
    if (network === undefined || !isSecondaryMultus(network)) return []
    const definition = qualified(network.multus?.networkName ?? '', metadata.namespace)
    return [{ iface, link: linkNames(network).pod, definition }]
  })
}

/** Whether the pod must be made anew before the guest's cards are as they should be; `pending` where it may not have to. */
export function networkChange(vmi: VirtualMachineInstance, pod: Pod | undefined): 'none' | 'pending' | 'required' {
  if (pod === undefined) return 'none'
  const links = podLinks(pod)
  const wrong = secondaryCards(vmi).filter(({ link, definition }) => links.get(link) !== definition)
  if (wrong.length === 0) return 'none'
  const isMoved = wrong.some(({ link }) => links.has(link))
  return isMoved || wrong.some(({ iface }) => bindingOf(iface) === 'sriov') ? 'required' : 'pending'
}

/** Whether the pod was asked for other links than the guest's cards need. */
export function asksForOtherLinks(vmi: VirtualMachineInstance, { metadata }: Pod): boolean {
  const asked = listOf(metadata.annotations?.[annotation.multusNetworks]).map(
    (each) => (each as Record<string, unknown>)['interface'],
  )
  const wanted = secondaryCards(vmi).map(({ link }) => link)
  return wanted.some((link) => !asked.includes(link)) || isUnplugged(vmi.spec, asked)
}

function isUnplugged(spec: VirtualMachineInstanceSpec, asked: readonly unknown[]): boolean {
  const absent = (spec.domain.devices.interfaces ?? []).filter(({ state }) => state === 'absent')
  return absent.some(({ name }) => {
    const network = networkNamed(spec, name)
    return network !== undefined && isSecondaryMultus(network) && asked.includes(linkNames(network).pod)
  })
}
