import type {
  AddVolumeOptions,
  VirtualMachine,
  VirtualMachineInstanceSpec,
  VirtualMachineVolumeRequest,
  Volume,
} from '@kubevirt-ts/api'
import type { JsonPatchOperation } from '@kubevirt-ts/controller'
import { withVolumeRequest } from '@kubevirt-ts/vmispec'
import { StatusError } from '../status-error.ts'
import type { Options } from './body.ts'

/** Says in words why a request can not be, or undefined. */
type Problem = string | undefined

/** The volume to add, complete: its disk has the volume's name, and its claim is hot-pluggable. Throws a 400. */
export function volumeToAdd({ name, disk, volumeSource }: Options<'AddVolumeOptions'>): AddVolumeOptions {
  if (!name) throw new StatusError(400, 'AddVolumeOptions requires name to be set')
  if (!disk) throw new StatusError(400, 'AddVolumeOptions requires disk to not be nil')
  if (!volumeSource) throw new StatusError(400, 'AddVolumeOptions requires VolumeSource to not be nil')
  const { dataVolume, persistentVolumeClaim } = volumeSource
  return {
    name,
    disk: { ...disk, name },
    volumeSource: {
      ...(dataVolume && { dataVolume: { ...dataVolume, hotpluggable: true } }),
      ...(persistentVolumeClaim && { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } }),
    },
  }
}

const claimOf = ({ dataVolume, persistentVolumeClaim }: Partial<Volume>) =>
  dataVolume?.name ?? persistentVolumeClaim?.claimName

/** Why the request does not fit the volumes that are there. */
export function volumeProblem(volumes: readonly Volume[], request: VirtualMachineVolumeRequest): Problem {
  const { addVolumeOptions: add, removeVolumeOptions: remove } = request
  if (add) {
    const claim = claimOf(add.volumeSource)
    if (volumes.some(({ name }) => name === add.name)) {
      return `Unable to add volume [${add.name}] because volume with that name already exists`
    }
    if (volumes.some((volume) => claim !== undefined && claimOf(volume) === claim)) {
      return `Unable to add volume source [${claim}] because it already exists`
    }
  }
  if (remove) {
    const volume = volumes.find(({ name }) => name === remove.name)
    if (!volume) return `Unable to remove volume [${remove.name}] because it does not exist`
    if (!(volume.dataVolume ?? volume.persistentVolumeClaim ?? volume.memoryDump)?.hotpluggable) {
      return `Unable to remove volume [${remove.name}] because it is not hotpluggable`
    }
  }
  return undefined
}

/** Why the request can not join those that wait in the VM's status. */
export function queueProblem({ status }: VirtualMachine, request: VirtualMachineVolumeRequest): Problem {
  const [name, other] = namesOf(request)
  for (const queued of status?.volumeRequests ?? []) {
    const [queuedName] = namesOf(queued)
    if (queuedName !== name) continue
    const kind = queued.addVolumeOptions ? 'add' : 'remove'
    return `${other} volume request for volume [${name}] can not be made: ${kind} volume request for it already exists and is being worked on`
  }
  return undefined
}

const namesOf = ({ addVolumeOptions, removeVolumeOptions }: VirtualMachineVolumeRequest) =>
  addVolumeOptions ? [addVolumeOptions.name, 'add'] : [removeVolumeOptions?.name, 'remove']

/** Appends the request to the VM's status, unless somebody else was faster. */
export function queuePatch({ status }: VirtualMachine, request: VirtualMachineVolumeRequest): JsonPatchOperation[] {
  if (!status || Object.keys(status).length === 0) {
    return [{ op: 'add', path: '/status', value: { volumeRequests: [request] } }]
  }
  const path = '/status/volumeRequests'
  return [
    { op: 'test', path, value: status.volumeRequests ?? null },
    { op: 'add', path, value: [...(status.volumeRequests ?? []), request] },
  ]
}

/** Does the request in a spec; `path` is where the spec is in its object. */
export function specPatch(
  spec: VirtualMachineInstanceSpec,
  path: string,
  request: VirtualMachineVolumeRequest,
): JsonPatchOperation[] {
  const { volumes, disks } = withVolumeRequest(spec, request)
  return [
    ...replaced(`${path}/volumes`, spec.volumes, volumes),
    ...replaced(`${path}/domain/devices/disks`, spec.domain.devices.disks, disks),
  ]
}

function replaced<T>(path: string, old: T | undefined, next: T): JsonPatchOperation[] {
  return [
    { op: 'test', path, value: old ?? null },
    { op: 'add', path, value: next },
  ]
}
