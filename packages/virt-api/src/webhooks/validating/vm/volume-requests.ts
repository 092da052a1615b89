import { virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachineInstance, VirtualMachineVolumeRequest } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli/api-error'
import { withVolumeRequest } from '@kubevirt-ts/vmispec'
import type { Admitter } from '../../admitter.ts'
import type { Settings } from '../../settings.ts'
import { duplicate, invalid, notSupported } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { validateVm } from './validate.ts'

const field = 'Status.volumeRequests'

/** Checks what waits in a VM's status to be plugged in or out; all else of a status is KubeVirt's own. */
export const admitVmStatus: Admitter = async ({ object, namespace }, { client, settings }) => {
  const vm = object as VirtualMachine | undefined
  if ((vm?.status?.volumeRequests ?? []).length === 0 || vm?.metadata.deletionTimestamp) return {}
  const reference = { ...(namespace && { namespace }), name: vm!.metadata.name }
  const vmi = await client.get(virtualMachineInstances, reference).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return { causes: volumeRequestCauses(vm!, vmi, settings) }
}

const isMigrating = (vmi: VirtualMachineInstance | undefined) => {
  const state = vmi?.status?.migrationState
  return state !== undefined && !state.completed && !state.failed
}

/** What is wrong with the requests of a VM whose guest is `vmi`. */
export function volumeRequestCauses(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  settings: Settings,
): Cause[] {
  const requests = vm.status?.volumeRequests ?? []
  if (isMigrating(vmi)) {
    return [notSupported(field, 'Cannot handle volume requests while VMI migration is in progress')]
  }
  const wrong = requests.flatMap((request, index) => requestCauses(requests.slice(0, index), request))
  if (wrong.length > 0) return wrong
  return validateVm(requests.reduce(withRequestDone, vm), settings, true).map((cause) => ({ ...cause, field }))
}

function requestCauses(before: readonly VirtualMachineVolumeRequest[], request: VirtualMachineVolumeRequest): Cause[] {
  const { addVolumeOptions: add, removeVolumeOptions: remove } = request
  if (Boolean(add) === Boolean(remove)) {
    return [invalid(field, 'VolumeRequests require one of addVolumeOptions and removeVolumeOptions, not both')]
  }
  const name = add?.name ?? remove?.name
  const seen = before.some((each) => (add ? each.addVolumeOptions : each.removeVolumeOptions)?.name === name)
  return seen
    ? [duplicate(field, `there are two requests to ${add ? 'add' : 'remove'} volume [${name}]; keep one`)]
    : []
}

function withRequestDone(vm: VirtualMachine, request: VirtualMachineVolumeRequest): VirtualMachine {
  const spec = vm.spec.template?.spec
  if (!spec) return vm
  const { volumes, disks } = withVolumeRequest(spec, request)
  const devices = { ...spec.domain.devices, disks }
  const next = { ...spec, volumes, domain: { ...spec.domain, devices } }
  return { ...vm, spec: { ...vm.spec, template: { ...vm.spec.template, spec: next } } }
}
