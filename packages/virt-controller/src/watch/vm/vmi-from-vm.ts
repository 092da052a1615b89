import { createHash } from 'node:crypto'
import { annotation, runStrategy, virtualMachines } from '@kubevirt-ts/api'
import type {
  KubeVirtConfiguration,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
} from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller/owner'
import { VirtError } from '@kubevirt-ts/service/error'
import { withoutDumps } from './memory-dump/request.ts'

export const vmGeneration = 'kubevirt.io/vm-generation'
export const finalizer = 'kubevirt.io/virtualMachineControllerFinalize'

export interface StartOptions {
  readonly revision: string
  readonly paused: boolean
  readonly configuration: KubeVirtConfiguration
}

/** The VMI that starts the VM: its template, owned by the VM and completed where the webhooks were passed by. */
export function vmiFromVm(
  vm: VirtualMachine,
  { revision, paused, configuration }: StartOptions,
): VirtualMachineInstance {
  const template = structuredClone(vm.spec.template)
  if (template.spec === undefined) {
    throw new VirtError(
      'FailedCreate',
      `VirtualMachine ${vm.metadata.namespace}/${vm.metadata.name} has no spec.template.spec`,
    )
  }
  const spec = withFirmwareUuid(withDefaultNetwork(withInput(withoutDumps(template.spec)), configuration), vm)
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: vm.metadata.name,
      namespace: vm.metadata.namespace,
      labels: template.metadata?.labels,
      annotations: {
        ...template.metadata?.annotations,
        [vmGeneration]: String(vm.metadata.generation ?? 0),
        ...(vm.spec.runStrategy === runStrategy.waitAsReceiver && { [annotation.createMigrationTarget]: 'true' }),
      },
      finalizers: [finalizer],
      ownerReferences: [ownerReferenceTo(vm, virtualMachines)],
    },
    spec: paused ? { ...spec, startStrategy: 'Paused' } : spec,
    status: { virtualMachineRevisionName: revision },
  }
}

function withInput(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { devices } = spec.domain
  if (devices.autoattachInputDevice !== true || (devices.inputs ?? []).length > 0) return spec
  const inputs = [{ name: 'default-0', bus: 'usb', type: 'tablet' }]
  return { ...spec, domain: { ...spec.domain, devices: { ...devices, inputs } } }
}

/** A guest whose template names no network gets the pod network, bound as the cluster says. */
function withDefaultNetwork(
  spec: VirtualMachineInstanceSpec,
  { network }: KubeVirtConfiguration,
): VirtualMachineInstanceSpec {
  const { devices } = spec.domain
  const named = (spec.networks ?? []).length > 0 || (devices.interfaces ?? []).length > 0
  if (named || devices.autoattachPodInterface === false) return spec
  const binding = network?.defaultNetworkInterface ?? 'bridge'
  return {
    ...spec,
    networks: [{ name: 'default', pod: {} }],
    domain: { ...spec.domain, devices: { ...devices, interfaces: [{ name: 'default', [binding]: {} }] } },
  }
}

function withFirmwareUuid(spec: VirtualMachineInstanceSpec, vm: VirtualMachine): VirtualMachineInstanceSpec {
  const firmware = { ...spec.domain.firmware, uuid: spec.domain.firmware?.uuid ?? firmwareUuid(vm) }
  return { ...spec, domain: { ...spec.domain, firmware } }
}

const firmwareNamespace = '6a1a24a1-4061-4607-8bf4-a3963d0c5895'

/** The UUID of a VM that was created before UUIDs were part of the spec: version 5, from its name. */
export function firmwareUuid(vm: VirtualMachine): string {
  const namespace = Buffer.from(firmwareNamespace.replaceAll('-', ''), 'hex')
  const hash = createHash('sha1')
    .update(namespace)
    .update(vm.metadata.name ?? '')
    .digest()
    .subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
