import { label, parseQuantity } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { bindingOf, isFinal, networkNamed } from '@kubevirt-ts/vmispec'
import { none } from './family.ts'
import type { Family } from './family.ts'

/** What metrics of guests are made from, beside the guests. */
export interface VmiContext {
  readonly podsOf: (vmi: VirtualMachineInstance) => readonly Pod[]
  /** The cluster's eviction strategy. */
  readonly evictionStrategy: () => string | undefined
}

type Vmi = VirtualMachineInstance

const identity = ({ metadata, status }: Vmi): Record<string, string> => ({
  node: status?.nodeName ?? '',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})

const named = ['node', 'namespace', 'name']

const infoLabels = [
  ...named,
  'phase',
  'os',
  'workload',
  'flavor',
  'instance_type',
  'preference',
  'guest_os_kernel_release',
  'guest_os_machine',
  'guest_os_arch',
  'guest_os_name',
  'guest_os_version_id',
  'evictable',
  'outdated',
  'vmi_pod',
]

/** Metrics of each guest, under KubeVirt's names. */
export function vmiFamilies(context: VmiContext): readonly Family<Vmi>[] {
  return [
    {
      name: 'kubevirt_vmi_info',
      help: 'What a guest is.',
      labels: infoLabels,
      of: (vmi) => [[infoOf(vmi, context), 1]],
    },
    {
      name: 'kubevirt_vmi_non_evictable',
      help: 'Guests that are to move away from their node and cannot.',
      labels: named,
      of: (vmi) => [[identity(vmi), Number(isStuck(vmi, context))]],
    },
    {
      name: 'kubevirt_vmi_status_addresses',
      help: 'Addresses of guests.',
      labels: [...named, 'vnic_name', 'interface_name', 'address', 'type'],
      of: addressesOf,
    },
    {
      name: 'kubevirt_vmi_vnic_info',
      help: 'Network cards of guests.',
      labels: [...named, 'vnic_name', 'binding_type', 'network', 'binding_name', 'model'],
      of: (vmi) => cardsOf(vmi.spec, identity(vmi)),
    },
    {
      name: 'kubevirt_vmi_launcher_memory_overhead_bytes',
      help: 'Memory of the launcher pod besides the memory of the guest.',
      labels: ['namespace', 'name'],
      of: ({ metadata, status }) => {
        const overhead = status?.memory?.memoryOverhead
        if (overhead === undefined) return []
        return [[{ namespace: metadata.namespace ?? '', name: metadata.name }, Number(parseQuantity(overhead))]]
      },
    },
  ]
}

/** What users write on VMs and guests about themselves. */
export function kindOf(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const about = (what: string): string => annotations[`vm.kubevirt.io/${what}`] ?? none
  const made = (what: string): string =>
    annotations[`kubevirt.io/${what}-name`] ?? annotations[`kubevirt.io/cluster-${what}-name`] ?? none
  return {
    os: about('os'),
    workload: about('workload'),
    flavor: about('flavor'),
    instance_type: made('instancetype'),
    preference: made('preference'),
  }
}

function infoOf(vmi: Vmi, context: VmiContext): Record<string, string> {
  const { metadata, status } = vmi
  const guest = status?.guestOSInfo
  const pods = context.podsOf(vmi)
  const pod = pods.find(({ spec }) => spec.nodeName === status?.nodeName) ?? pods[0]
  return {
    ...identity(vmi),
    ...kindOf(metadata.annotations),
    phase: (status?.phase ?? '').toLowerCase(),
    guest_os_kernel_release: guest?.kernelRelease ?? none,
    guest_os_machine: guest?.machine ?? none,
    guest_os_arch: vmi.spec.architecture ?? none,
    guest_os_name: guest?.name ?? none,
    guest_os_version_id: guest?.versionId ?? none,
    evictable: String(isMovable(vmi)),
    outdated: String(metadata.labels?.[label.outdatedLauncherImage] !== undefined),
    vmi_pod: pod?.metadata.name ?? none,
  }
}

function isMovable({ status }: Vmi): boolean {
  return status?.conditions?.some((each) => each.type === 'LiveMigratable' && each.status === 'True') ?? false
}

function isStuck(vmi: Vmi, { evictionStrategy }: VmiContext): boolean {
  const strategy = vmi.spec.evictionStrategy ?? evictionStrategy()
  return strategy === 'LiveMigrate' && !isFinal(vmi) && vmi.status?.phase === 'Running' && !isMovable(vmi)
}

function addressesOf(vmi: Vmi): [Record<string, string>, number][] {
  return (vmi.status?.interfaces ?? []).flatMap(({ name, interfaceName, ipAddress, ipAddresses }) => {
    const all = new Set([...(ipAddresses ?? []), ...(ipAddress === undefined ? [] : [ipAddress])])
    return [...all].map((address): [Record<string, string>, number] => [
      {
        ...identity(vmi),
        vnic_name: name ?? none,
        interface_name: interfaceName ?? none,
        address,
        type: address.includes(':') ? 'InternalIPv6' : 'InternalIP',
      },
      1,
    ])
  })
}

/** The cards of a guest, or those that a VM will give it. */
export function cardsOf(spec: Vmi['spec'], who: Record<string, string>): [Record<string, string>, number][] {
  return (spec.domain.devices.interfaces ?? []).map((iface) => {
    const network = networkNamed(spec, iface.name)
    const binding = bindingOf(iface)
    return [
      {
        ...who,
        vnic_name: iface.name,
        binding_type: binding === 'plugin' ? 'plugin' : 'core',
        network: network?.multus?.networkName ?? 'pod networking',
        binding_name: iface.binding?.name ?? binding ?? none,
        model: iface.model ?? none,
      },
      1,
    ]
  })
}
