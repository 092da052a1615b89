import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { ResourceType, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { StatusError } from '../status-error.ts'
import type { Target } from './parts.ts'

export const vmKind = 'virtualmachine'
export const vmiKind = 'virtualmachineinstance'

export const fetchVm = (client: KubeClient, target: Target): Promise<VirtualMachine> =>
  fetchOne(client, virtualMachines, vmKind, 'vm', target)

export const fetchVmi = (client: KubeClient, target: Target): Promise<VirtualMachineInstance> =>
  fetchOne(client, virtualMachineInstances, vmiKind, 'vmi', target)

/** The guest of a VM, which has its name; undefined when none runs. */
export async function findVmi(client: KubeClient, target: Target): Promise<VirtualMachineInstance | undefined> {
  try {
    return await client.get(virtualMachineInstances, target)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw unreachable('vmi', vmiKind, target, error)
  }
}

/** A VM and its guest, asked for at once; what is wrong with the VM is told first. */
export async function fetchWithGuest(
  client: KubeClient,
  target: Target,
): Promise<{ readonly vm: VirtualMachine; readonly vmi: VirtualMachineInstance | undefined }> {
  const [vm, vmi] = await Promise.allSettled([fetchVm(client, target), findVmi(client, target)])
  if (vm.status === 'rejected') throw vm.reason
  if (vmi.status === 'rejected') throw vmi.reason
  return { vm: vm.value, vmi: vmi.value }
}

async function fetchOne<T>(
  client: KubeClient,
  resource: ResourceType<T>,
  kind: string,
  short: string,
  target: Target,
): Promise<T> {
  try {
    return await client.get(resource, target)
  } catch (error) {
    if (!isNotFound(error)) throw unreachable(short, kind, target, error)
    throw new StatusError(404, `${kind}.kubevirt.io "${target.name}" not found`, { kind, name: target.name })
  }
}

const unreachable = (short: string, kind: string, { name }: Target, cause: unknown) =>
  new StatusError(500, `Internal error occurred: unable to retrieve ${short} [${name}]: ${(cause as Error).message}`, {
    kind,
    name,
    cause,
  })

/** The refusal of an operation that the object's state does not allow, worded as Kubernetes words conflicts. */
export const conflict = (kind: string, name: string, message: string): StatusError =>
  new StatusError(409, `Operation cannot be fulfilled on ${kind}.kubevirt.io "${name}": ${message}`, { kind, name })
