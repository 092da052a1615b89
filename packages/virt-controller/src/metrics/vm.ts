import { parseMilli, parseQuantity } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim, Quantity, VirtualMachine } from '@kubevirt-ts/api'
import { claimName } from '@kubevirt-ts/vmispec'
import { none, secondsOf } from './family.ts'
import type { Family } from './family.ts'
import { cardsOf, kindOf } from './vmi.ts'

export interface VmContext {
  readonly claim: (namespace: string | undefined, name: string) => PersistentVolumeClaim | undefined
}

const named = ['name', 'namespace']

const identity = ({ metadata }: VirtualMachine): Record<string, string> => ({
  name: metadata.name,
  namespace: metadata.namespace ?? '',
})

/** States that are counted together. */
const groups: Readonly<Record<string, ReadonlySet<string>>> = {
  starting: new Set(['Provisioning', 'Starting', 'WaitingForVolumeBinding']),
  running: new Set(['Running']),
  migrating: new Set(['Migrating']),
  non_running: new Set(['Stopped', 'Stopping', 'Paused', 'Terminating', 'WaitingForReceiver']),
}

/** Whatever is none of the others is an error. */
export function statusGroup(printableStatus: string): string {
  return Object.entries(groups).find(([, statuses]) => statuses.has(printableStatus))?.[0] ?? 'error'
}

/** Metrics of each VM, under KubeVirt's names. */
export function vmFamilies(context: VmContext): readonly Family<VirtualMachine>[] {
  return [
    {
      name: 'kubevirt_vm_info',
      help: 'What a VM is.',
      labels: [
        ...named,
        'os',
        'workload',
        'flavor',
        'machine_type',
        'instance_type',
        'preference',
        'status',
        'status_group',
      ],
      of: (vm) => [[infoOf(vm), 1]],
    },
    {
      name: 'kubevirt_vm_create_date_timestamp_seconds',
      help: 'When a VM was created.',
      labels: named,
      of: (vm) => [[identity(vm), secondsOf(vm.metadata.creationTimestamp) ?? 0]],
    },
    {
      name: 'kubevirt_vm_vnic_info',
      help: 'Network cards that a VM gives its guest.',
      labels: [...named, 'vnic_name', 'binding_type', 'network', 'binding_name', 'model'],
      of: (vm) => (vm.spec.template.spec === undefined ? [] : cardsOf(vm.spec.template.spec, identity(vm))),
    },
    {
      name: 'kubevirt_vm_resource_requests',
      help: 'CPU and memory that a VM asks for, in cores and bytes.',
      labels: [...named, 'resource', 'unit', 'source'],
      of: requestsOf,
    },
    {
      name: 'kubevirt_vm_resource_limits',
      help: 'CPU and memory that a VM may use, in cores and bytes.',
      labels: [...named, 'resource', 'unit'],
      of: (vm) => resourcesOf(vm, 'limits').map(([labels, value]) => [labels, value]),
    },
    {
      name: 'kubevirt_vm_disk_allocated_size_bytes',
      help: 'Size that is allocated for a disk of a VM.',
      labels: [...named, 'persistentvolumeclaim', 'volume_mode', 'device'],
      of: (vm) => disksOf(vm, context),
    },
    ...[...Object.keys(groups), 'error'].map((group): Family<VirtualMachine> => ({
      name: `kubevirt_vm_${group}_status_last_transition_timestamp_seconds`,
      type: 'counter',
      help: `When a VM became ${group.replace('_', ' ')}; 0 where it is something else.`,
      labels: named,
      of: (vm) => [[identity(vm), group === statusGroup(statusOf(vm)) ? lastTransition(vm) : 0]],
    })),
  ]
}

const statusOf = ({ status }: VirtualMachine): string => status?.printableStatus ?? ''

function infoOf(vm: VirtualMachine): Record<string, string> {
  const { template, instancetype, preference } = vm.spec
  const kind = kindOf(template.metadata?.annotations)
  return {
    ...identity(vm),
    ...kind,
    machine_type: template.spec?.domain.machine?.type ?? none,
    instance_type: instancetype?.name ?? none,
    preference: preference?.name ?? none,
    status: statusOf(vm).toLowerCase(),
    status_group: statusGroup(statusOf(vm)),
  }
}

/** The last change that is told: of a condition, or its creation. */
function lastTransition({ metadata, status }: VirtualMachine): number {
  const times = (status?.conditions ?? []).flatMap(({ lastTransitionTime }) => secondsOf(lastTransitionTime) ?? [])
  return Math.max(secondsOf(metadata.creationTimestamp) ?? 0, ...times)
}

type Series = [labels: Record<string, string>, value: number]

function resourcesOf(vm: VirtualMachine, list: 'requests' | 'limits'): Series[] {
  const resources = vm.spec.template.spec?.domain.resources?.[list] ?? {}
  return [
    ...amount(vm, 'cpu', 'cores', resources['cpu'], (cpu) => Number(parseMilli(cpu)) / 1000),
    ...amount(vm, 'memory', 'bytes', resources['memory'], (memory) => Number(parseQuantity(memory))),
  ]
}

function amount(
  vm: VirtualMachine,
  resource: string,
  unit: string,
  quantity: Quantity | undefined,
  inUnits: (quantity: Quantity) => number,
): Series[] {
  return quantity === undefined ? [] : [[{ ...identity(vm), resource, unit }, inUnits(quantity)]]
}

/** From the requests, and from what the guest itself is to get. */
function requestsOf(vm: VirtualMachine): Series[] {
  const domain = vm.spec.template.spec?.domain
  const from = (source: string, series: Series[]): Series[] =>
    series.map(([labels, value]) => [{ ...labels, source }, value])
  const topology = (['cores', 'sockets', 'threads'] as const).flatMap((part): Series[] => {
    const count = domain?.cpu?.[part]
    return count ? [[{ ...identity(vm), resource: 'cpu', unit: part, source: 'domain' }, count]] : []
  })
  const guest = amount(vm, 'memory', 'bytes', domain?.memory?.guest, (memory) => Number(parseQuantity(memory)))
  return [...from('requests', resourcesOf(vm, 'requests')), ...topology, ...from('guest', guest)]
}

function disksOf(vm: VirtualMachine, { claim }: VmContext): Series[] {
  return (vm.spec.template.spec?.volumes ?? []).flatMap((volume): Series[] => {
    const name = claimName(volume)
    const found = name === undefined ? undefined : claim(vm.metadata.namespace, name)
    const size = found?.status?.capacity?.['storage'] ?? found?.spec?.resources?.requests?.['storage']
    if (name === undefined || size === undefined) return []
    const volumeMode = found?.spec?.volumeMode ?? ''
    const labels = { ...identity(vm), persistentvolumeclaim: name, volume_mode: volumeMode, device: volume.name }
    return [[labels, Number(parseQuantity(size))]]
  })
}
