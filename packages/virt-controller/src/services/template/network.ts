import type { Interface, Network } from '@kubevirt-ts/api'
import { isSecondaryMultus, linkNames, networkNamed, presentInterfaces, primaryNetwork } from '@kubevirt-ts/vmispec'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Networks that the pod joins, ports that it opens, and what a service mesh must know. */
export function network(draft: Draft, launch: Launch): void {
  multus(draft, launch)
  ports(draft, launch)
  istio(draft, launch)
  networkInfo(draft, launch)
}

interface Attachment {
  readonly name: string
  readonly namespace: string
  readonly mac?: string
  readonly interface?: string
  readonly 'cni-args'?: Readonly<Record<string, string>>
}

function multus({ annotations }: Draft, launch: Launch): void {
  const attachments = presentInterfaces(launch.vmi.spec).flatMap((iface) => attachmentsOf(iface, launch))
  if (attachments.length > 0) annotations['k8s.v1.cni.cncf.io/networks'] = JSON.stringify(attachments)
  const primary = primaryNetwork(launch.vmi.spec)?.multus
  if (primary === undefined) return
  annotations['v1.multus-cni.io/default-network'] = primary.networkName
}

function attachmentsOf(iface: Interface, launch: Launch): Attachment[] {
  const network = networkNamed(launch.vmi.spec, iface.name)
  if (network === undefined) return []
  return [...ofNetwork(network, iface, launch), ...ofBinding(iface, launch)]
}

function ofNetwork(network: Network, iface: Interface, launch: Launch): Attachment[] {
  if (!isSecondaryMultus(network)) return []
  const name = attachmentName(network.multus?.networkName ?? '', launch)
  return [{ ...name, ...(iface.macAddress ? { mac: iface.macAddress } : {}), interface: linkNames(network).pod }]
}

/** A binding plugin may bring a network of its own, whose CNI plugin prepares the pod for it. */
function ofBinding({ name, binding }: Interface, launch: Launch): Attachment[] {
  const definition =
    binding && launch.context.configuration.network?.binding?.[binding.name]?.networkAttachmentDefinition
  return definition ? [{ ...attachmentName(definition, launch), 'cni-args': { logicNetworkName: name } }] : []
}

function attachmentName(reference: string, { vmi }: Launch): { name: string; namespace: string } {
  const [first = '', second] = reference.split('/')
  return second === undefined
    ? { name: first, namespace: vmi.metadata.namespace ?? 'default' }
    : { name: second, namespace: first }
}

function ports({ compute }: Draft, { vmi }: Launch): void {
  const listed = (vmi.spec.domain.devices.interfaces ?? []).flatMap((iface) => iface.ports ?? [])
  if (listed.length === 0) return
  compute.ports = listed.map(({ name, port, protocol }) => ({
    ...(name ? { name } : {}),
    protocol: protocol || 'TCP',
    containerPort: port,
  }))
}

/** Traffic of a masqueraded guest arrives on the bridge, where a mesh's proxy must take it. */
function istio({ annotations }: Draft, { vmi }: Launch): void {
  const primary = primaryNetwork(vmi.spec)
  const iface = vmi.spec.domain.devices.interfaces?.find(({ name }) => name === primary?.name)
  if (primary === undefined || iface?.masquerade === undefined) return
  const { bridge } = linkNames(primary)
  annotations['traffic.sidecar.istio.io/kubevirtInterfaces'] = bridge
  annotations['istio.io/reroute-virtual-interfaces'] = bridge
}

/** Where a container finds the networks' devices. */
export const networkInfoMount = { name: 'network-info-annotation', mountPath: '/etc/podinfo' }

/** Devices behind SR-IOV and some plugins are told to the launcher through an annotation. */
function networkInfo(draft: Draft, { vmi, context }: Launch): void {
  const bindings = context.configuration.network?.binding
  const needed = vmi.spec.domain.devices.interfaces?.some(
    ({ sriov, binding }) => sriov !== undefined || (binding && bindings?.[binding.name]?.downwardAPI === 'device-info'),
  )
  if (!needed) return
  const fieldPath = "metadata.annotations['kubevirt.io/network-info']"
  const { name } = networkInfoMount
  addVolume(draft, { name, downwardAPI: { items: [{ path: 'network-info', fieldRef: { fieldPath } }] } })
  draft.compute.volumeMounts.push({ ...networkInfoMount })
}
