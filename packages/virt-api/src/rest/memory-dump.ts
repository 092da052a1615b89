import { formatQuantity, parseQuantity, persistentVolumeClaims } from '@kubevirt-ts/api'
import type {
  PersistentVolumeClaim,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineMemoryDumpRequest,
} from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { guestMemory } from '@kubevirt-ts/vmispec'
import { StatusError } from '../status-error.ts'
import { decodeOptions } from './body.ts'
import { applyChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchVm, fetchVmi, vmKind } from './subjects.ts'
import { needHotplug } from './volumes.ts'

/** Asks the VM's controller for a dump of the guest's memory into a claim. */
export async function memoryDump({ client, settings }: RestParts, target: Target, body: object): Promise<void> {
  needHotplug(settings)
  const asked = decodeOptions('VirtualMachineMemoryDumpRequest', body)
  const vm = await fetchVm(client, target)
  const claimName = claimOf(vm, asked.claimName)
  const vmi = await fetchVmi(client, target)
  if (vmi.status?.phase !== 'Running') throw conflict(vmKind, target.name, 'VMI is not running')
  checkClaim(await fetchClaim(client, { namespace: target.namespace, name: claimName }), vmi)
  await applyChanges(client, target, [dumpChange(vm, claimName)])
}

/** Asks the VM's controller to let go of the claim that dumps are written to. */
export async function removeMemoryDump({ client, settings }: RestParts, target: Target): Promise<void> {
  needHotplug(settings)
  await applyChanges(client, target, [removeDumpChange(await fetchVm(client, target))])
}

/** The claim to dump into: the named one, or the one of the last dump. Throws a 400 for none, a 409 for another. */
export function claimOf({ metadata, status }: VirtualMachine, asked: string | undefined): string {
  const associated = status?.memoryDumpRequest?.claimName
  if (asked && associated && asked !== associated) {
    const message = `unable to memory dump vm: its dumps go to claim ${associated}; remove that association before naming ${asked}`
    throw conflict(vmKind, metadata.name, message)
  }
  const name = asked || associated
  if (!name) throw new StatusError(400, 'Memory dump requires claim name to be set')
  return name
}

/** The request as it is put into the VM's status. Throws a 409 while another one is worked on. */
export function dumpChange(vm: VirtualMachine, claimName: string): Change {
  const current = vm.status?.memoryDumpRequest
  const done = current === undefined || current.phase === 'Completed' || current.phase === 'Failed'
  if (!done || current?.remove) {
    const message = `memory dump request for claim ${current?.claimName} is in phase ${current?.phase}; wait until it is done`
    throw conflict(vmKind, vm.metadata.name, message)
  }
  return statusChange(vm, { claimName, phase: 'Associating' })
}

/** The removal as it is put into the VM's status. Throws a 409 when there is nothing to remove. */
export function removeDumpChange(vm: VirtualMachine): Change {
  const current = vm.status?.memoryDumpRequest
  const refuse = (message: string) => conflict(vmKind, vm.metadata.name, message)
  if (!current) throw refuse('vm has no memory dump association to remove')
  if (current.remove)
    throw refuse(`the memory dump association with claim ${current.claimName} is being removed already`)
  return statusChange(vm, { ...current, remove: true, phase: 'Dissociating' })
}

function statusChange({ status }: VirtualMachine, request: VirtualMachineMemoryDumpRequest): Change {
  if (!status || Object.keys(status).length === 0) {
    return { on: 'vm/status', patch: [{ op: 'add', path: '/status', value: { memoryDumpRequest: request } }] }
  }
  const path = '/status/memoryDumpRequest'
  return {
    on: 'vm/status',
    patch: [
      { op: 'test', path, value: status.memoryDumpRequest ?? null },
      { op: 'add', path, value: request },
    ],
  }
}

async function fetchClaim(client: KubeClient, target: Target): Promise<PersistentVolumeClaim> {
  try {
    return await client.get(persistentVolumeClaims, target)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const kind = 'persistentvolumeclaim'
    throw new StatusError(404, `${kind} "${target.name}" not found`, { kind, name: target.name })
  }
}

const mebi = 1024n * 1024n
/** What a dump needs beside the guest's memory, in bytes. */
const dumpOverhead = 100n * mebi
/** Part of a volume that its filesystem takes, in thousandths, where CDI says nothing else. */
const filesystemOverhead = 55n

/** Throws a 409 for a claim that the dump can not be written to. */
export function checkClaim({ metadata, spec }: PersistentVolumeClaim, vmi: VirtualMachineInstance): void {
  const refuse = (message: string) => conflict(vmKind, vmi.metadata.name, message)
  if (spec?.volumeMode === 'Block') throw refuse('pvc should be filesystem pvc')
  const modes = spec?.accessModes ?? []
  if (modes.length > 0 && modes.every((mode) => mode === 'ReadOnlyMany')) {
    throw refuse(`pvc ${metadata.name} access mode can't be read-only, since the dump is written to it`)
  }
  const needed = neededFor(guestMemory(vmi.spec) ?? 0n)
  const size = parseQuantity(spec?.resources?.requests?.['storage'] ?? '0')
  if (size >= needed) return
  throw refuse(`pvc size [${formatQuantity(size)}] should be bigger then [${formatQuantity(needed)}]`)
}

/** Bytes of the claim, whole mebibytes. */
function neededFor(memory: bigint): bigint {
  const bytes = ((memory + dumpOverhead) * (1000n + filesystemOverhead)) / 1000n
  return ((bytes + mebi - 1n) / mebi) * mebi
}
