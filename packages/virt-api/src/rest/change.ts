import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachineStateChangeRequest } from '@kubevirt-ts/api'
import type { JsonPatchOperation } from '@kubevirt-ts/controller'
import { ApiError } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { StatusError } from '../status-error.ts'
import type { Target } from './parts.ts'
import { conflict, vmiKind, vmKind } from './subjects.ts'

/** One write of a subresource, decided before anything is written. */
export interface Change {
  readonly on: 'vm' | 'vm/status' | 'vmi'
  readonly patch: readonly JsonPatchOperation[]
}

/**
 * Replaces the run strategy, in the form that the VM uses, unless somebody else changed it in between.
 * `strategy` is Always or Halted.
 */
export function changeRunStrategy({ spec }: VirtualMachine, strategy: 'Always' | 'Halted'): Change {
  const [path, old, value] =
    spec.runStrategy !== undefined
      ? ['/spec/runStrategy', spec.runStrategy, strategy]
      : ['/spec/running', spec.running, strategy === 'Always']
  return {
    on: 'vm',
    patch: [
      { op: 'test', path, value: old },
      { op: 'replace', path, value },
    ],
  }
}

/**
 * Queues requests for the VM's controller. A queue that is being worked on only gives way to a lone Stop.
 * Throws a 500 (sic, clients know it) when requests are under way.
 */
export function requestChanges(vm: VirtualMachine, requests: VirtualMachineStateChangeRequest[]): Change {
  const { status } = vm
  if (!status || Object.keys(status).length === 0) {
    return { on: 'vm/status', patch: [{ op: 'add', path: '/status', value: { stateChangeRequests: requests } }] }
  }
  const path = '/status/stateChangeRequests'
  const queued = status.stateChangeRequests ?? []
  const loneStop = requests.length === 1 && requests[0]!.action === 'Stop'
  if (queued.length > 0 && !loneStop) {
    throw new StatusError(500, 'Internal error occurred: unable to complete request: stop/start already underway')
  }
  return {
    on: 'vm/status',
    patch: [
      { op: 'test', path, value: status.stateChangeRequests ?? null },
      { op: 'add', path, value: requests },
      ...(status.startFailure ? [{ op: 'remove', path: '/status/startFailure' } as const] : []),
    ],
  }
}

/**
 * Takes a start back that the VM's controller has not come to. Not guarded: whatever was queued in between, and whatever
 * of it is done, whoever calls off comes last.
 */
export function callOffStart({ status }: VirtualMachine): Change[] {
  const queued = status?.stateChangeRequests ?? []
  const left = queued.filter(({ action }) => action !== 'Start')
  if (left.length === queued.length) return []
  return [{ on: 'vm/status', patch: [{ op: 'add', path: '/status/stateChangeRequests', value: left }] }]
}

/** Writes changes one after the other. Throws a 409 when the object is no longer what the decision was made on. */
export async function applyChanges(client: KubeClient, target: Target, changes: readonly Change[]): Promise<void> {
  for (const change of changes) await applyChange(client, target, change)
}

async function applyChange(client: KubeClient, target: Target, change: Change): Promise<void> {
  const { dryRun = false } = target
  const options = { type: 'json', dryRun, ...(change.on === 'vm/status' && { subresource: 'status' }) } as const
  try {
    if (change.on === 'vmi') await client.patch(virtualMachineInstances, target, change.patch, options)
    else await client.patch(virtualMachines, target, change.patch, options)
  } catch (error) {
    throw patchRefusal(error, target, change.on === 'vmi' ? vmiKind : vmKind)
  }
}

/** What the API server says of a patch whose test failed. */
const testFailed = /test operation does not apply|testing value .* failed|due to an error in our request/

function patchRefusal(error: unknown, { name }: Target, kind: string): StatusError {
  const text = error instanceof ApiError ? JSON.stringify(error.status) : (error as Error).message
  if (testFailed.test(text)) return conflict(kind, name, `jsonpatch test operation does not apply: ${text}`)
  if (error instanceof ApiError && error.code === 409) return conflict(kind, name, error.message)
  return new StatusError(500, `Internal error occurred: ${(error as Error).message}`, { cause: error })
}
