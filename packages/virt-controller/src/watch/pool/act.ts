import { controllerRevisions, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { ControllerRevision, VirtualMachine, VirtualMachineInstance, VirtualMachinePool } from '@kubevirt-ts/api'
import { isControlledBy, keyOf } from '@kubevirt-ts/controller'
import { isAlreadyExists, isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import { inBatches } from '../bursts.ts'
import { isSelected } from '../label-selector.ts'
import type { Deps } from './deps.ts'
import { end } from './end.ts'
import { described, freeIndexes, indexOf, memberOf, specOf } from './member.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { removeMembers } from './remove.ts'
import { currentRevision, newRevision, unusedRevisions } from './revisions.ts'
import { plan } from './scale.ts'
import type { Seen } from './seen.ts'
import { updates } from './update.ts'

/** Scales, updates and tidies up. Nothing is thrown: the problem is told in the status first. */
export async function act(seen: Seen, deps: Deps): Promise<Problem | undefined> {
  const { pool } = seen
  if (pool.metadata.deletionTimestamp !== undefined) return end(seen, deps)
  if (pool.spec.paused === true) return undefined
  const template = pool.spec.virtualMachineTemplate
  if (!isSelected(pool.spec.selector, template.metadata?.labels)) return invalidSelector(pool)
  const steps: readonly (readonly [string, (revision: string) => Promise<void>])[] = [
    [reason.failedScaleIn, () => scaleIn(seen, deps)],
    [reason.failedScaleOut, (revision) => scaleOut(seen, revision, deps)],
    [reason.failedUpdate, (revision) => update(seen, revision, deps)],
    [reason.failedRevisionPruning, (revision) => prune(seen, revision, deps)],
  ]
  let why: string = reason.failedUpdate
  try {
    const revision = currentRevision(seen) ?? (await keepRevision(pool, deps))
    for (const [step, run] of steps) {
      why = step
      await run(revision.metadata.name)
    }
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    deps.events.event(pool, 'Warning', why, text)
    return { reason: why, message: text, retry: !isInvalid(error) }
  }
}

function invalidSelector({ metadata }: VirtualMachinePool): Problem {
  const message = `the selector of VirtualMachinePool ${metadata.namespace}/${metadata.name} does not select the labels of its template; nothing is created until they match`
  return { reason: reason.invalidSelector, message, retry: false }
}

async function keepRevision(pool: VirtualMachinePool, { client }: Deps): Promise<ControllerRevision> {
  const revision = newRevision(pool)
  try {
    return await client.create(controllerRevisions, revision)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const { namespace, name } = revision.metadata
  const existing = await client.get(controllerRevisions, { namespace, name })
  if (isControlledBy(existing, pool)) return existing
  throw new VirtError('FailedUpdate', `ControllerRevision ${namespace}/${name} belongs to another owner; delete it`)
}

async function scaleOut(seen: Seen, revision: string, deps: Deps): Promise<void> {
  const { pool } = seen
  const indexes = freeIndexes(pool, plan(seen).create, seen.isTaken)
  const { error } = await inBatches(indexes.length, (at) => createMember(pool, indexes[at]!, revision, deps))
  if (error !== undefined) throw error
}

async function createMember(pool: VirtualMachinePool, index: number, revision: string, deps: Deps): Promise<void> {
  const { client, events, expectations } = deps
  expectations.expectCreations(keyOf(pool), 1)
  try {
    const { metadata } = await client.create(virtualMachines, memberOf(pool, index, revision))
    events.event(pool, 'Normal', reason.successfulCreate, `Created VM ${metadata.namespace}/${metadata.name}`)
  } catch (error) {
    expectations.creationObserved(keyOf(pool))
    // Somebody's VM has the name, and the cache will show it: the next pass takes another number.
    if (!isAlreadyExists(error)) throw error
  }
}

async function scaleIn(seen: Seen, deps: Deps): Promise<void> {
  await removeMembers(plan(seen).remove, seen.pool, deps)
}

async function update(seen: Seen, revision: string, deps: Deps): Promise<void> {
  const { vms, guests } = updates(seen, revision)
  const updated = await inBatches(vms.length, (at) => updateMember(vms[at]!, seen.pool, revision, deps))
  if (updated.error !== undefined) throw updated.error
  const restarted = await inBatches(guests.length, (at) => endGuest(guests[at]!, deps))
  if (restarted.error !== undefined) throw restarted.error
}

/** Identity that a VM was given at its creation outlives an update of its template. */
async function updateMember(vm: VirtualMachine, pool: VirtualMachinePool, revision: string, deps: Deps): Promise<void> {
  const { labels, annotations } = described(pool, revision)
  const spec = specOf(pool, indexOf(vm), revision)
  const firmware = vm.spec.template.spec?.domain.firmware
  const guest = spec.template.spec
  if (guest !== undefined && guest.domain.firmware?.uuid === undefined && firmware?.uuid !== undefined) {
    guest.domain.firmware = {
      ...guest.domain.firmware,
      uuid: firmware.uuid,
      ...(firmware.serial && { serial: firmware.serial }),
    }
  }
  const metadata = {
    ...vm.metadata,
    labels: { ...vm.metadata.labels, ...labels },
    ...(annotations === undefined ? {} : { annotations: { ...vm.metadata.annotations, ...annotations } }),
  }
  await deps.client.update(virtualMachines, { ...vm, metadata, spec })
  deps.events.event(pool, 'Normal', reason.successfulUpdate, `Updated VM ${metadata.namespace}/${metadata.name}`)
}

async function endGuest({ metadata }: VirtualMachineInstance, { client }: Deps): Promise<void> {
  try {
    const reference = { namespace: metadata.namespace, name: metadata.name }
    await client.delete(virtualMachineInstances, reference, { preconditions: { uid: metadata.uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function prune(seen: Seen, current: string, { client }: Deps): Promise<void> {
  for (const { metadata } of unusedRevisions(seen, current)) {
    try {
      await client.delete(controllerRevisions, { namespace: metadata.namespace, name: metadata.name })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
