import type { VirtualMachine, VirtualMachineInstance, VirtualMachineVolumeRequest } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { StatusError } from '../status-error.ts'
import type { Settings } from '../settings.ts'
import { decodeOptions } from './body.ts'
import { applyChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchVm, fetchVmi, vmiKind, vmKind } from './subjects.ts'
import { queuePatch, queueProblem, specPatch, volumeProblem, volumeToAdd } from './volume-request.ts'

type Put = (parts: RestParts, target: Target, body: object) => Promise<void>

function added(body: object): VirtualMachineVolumeRequest {
  if (Object.keys(body).length === 0) throw noBody
  return { addVolumeOptions: volumeToAdd(decodeOptions('AddVolumeOptions', body)) }
}

function removed(body: object): VirtualMachineVolumeRequest {
  if (Object.keys(body).length === 0) throw noBody
  const { name } = decodeOptions('RemoveVolumeOptions', body)
  if (!name) throw new StatusError(400, 'RemoveVolumeOptions requires name to be set')
  return { removeVolumeOptions: { name } }
}

const noBody = new StatusError(
  400,
  'Request with no body, a new name is expected as the request body: send the options of the volume',
)

/** Refuses what both ways of plugging volumes into a running guest are switched off for. */
export function needHotplug(settings: Settings): void {
  if (settings.isEnabled('HotplugVolumes') || settings.isEnabled('DeclarativeHotplugVolumes')) return
  throw new StatusError(400, 'Enable DeclarativeHotplugVolumes or HotplugVolumes feature gate to use this API.')
}

const onVm =
  (read: (body: object) => VirtualMachineVolumeRequest): Put =>
  async ({ client, settings }, target, body) => {
    needHotplug(settings)
    const request = read(body)
    const vm = await fetchVm(client, target)
    await write({ client }, target, vmChange(vm, request, settings))
  }

const onVmi =
  (read: (body: object) => VirtualMachineVolumeRequest): Put =>
  async ({ client, settings }, target, body) => {
    needHotplug(settings)
    const request = read(body)
    const vmi = await fetchVmi(client, target)
    await write({ client }, target, vmiChange(vmi, request, settings))
  }

export const addVmVolume = onVm(added)
export const removeVmVolume = onVm(removed)
export const addVmiVolume = onVmi(added)
export const removeVmiVolume = onVmi(removed)

/** The request in the VM's status for its controller, or done in its template. Throws a 409 when it does not fit. */
export function vmChange(vm: VirtualMachine, request: VirtualMachineVolumeRequest, settings: Settings): Change {
  const spec = vm.spec.template?.spec ?? { domain: { devices: {} } }
  const queued = settings.isEnabled('HotplugVolumes')
  const problem = volumeProblem(spec.volumes ?? [], request) ?? (queued ? queueProblem(vm, request) : undefined)
  if (problem !== undefined) throw conflict(vmKind, vm.metadata.name, problem)
  return queued
    ? { on: 'vm/status', patch: queuePatch(vm, request) }
    : { on: 'vm', patch: specPatch(spec, '/spec/template/spec', request) }
}

/** The request done in a running guest's spec. Throws a 400 for a guest that follows its VM, a 409 when it does not fit. */
export function vmiChange(
  vmi: VirtualMachineInstance,
  request: VirtualMachineVolumeRequest,
  settings: Settings,
): Change {
  const { namespace, name, ownerReferences = [] } = vmi.metadata
  const owned = ownerReferences.some(({ kind, controller }) => controller && kind === 'VirtualMachine')
  if (owned && !settings.isEnabled('HotplugVolumes')) {
    throw new StatusError(400, `VMI ${namespace}/${name} is owned by a VM`, { kind: vmiKind, name })
  }
  if (vmi.status?.phase !== 'Running') throw conflict(vmiKind, name, 'VMI is not running')
  const problem = volumeProblem(vmi.spec.volumes ?? [], request)
  if (problem !== undefined) throw conflict(vmiKind, name, problem)
  return { on: 'vmi', patch: specPatch(vmi.spec, '/spec', request) }
}

/** What admission says of the new spec is told as it is. */
async function write({ client }: Pick<RestParts, 'client'>, target: Target, change: Change): Promise<void> {
  try {
    await applyChanges(client, target, [change])
  } catch (error) {
    const { cause } = error as Error
    if (!(cause instanceof ApiError) || cause.code !== 422) throw error
    const { message, details } = cause.status
    throw new StatusError(422, message ?? cause.message, { ...(details?.causes && { causes: details.causes }) })
  }
}
