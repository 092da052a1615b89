import { finalizer, label, pods, virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from './deps.ts'
import { reason } from './reasons.ts'
import { isFinal } from './seen.ts'
import type { Seen } from './seen.ts'

/** So many finished migrations of a guest are kept for its users to look at. */
const kept = 5

/** What the webhook also does: label and finalizer. True where they were written. */
export async function adopt(migration: VirtualMachineInstanceMigration, { client, ownWrites }: Deps): Promise<boolean> {
  const { labels, finalizers = [], deletionTimestamp, resourceVersion } = migration.metadata
  const vmi = migration.spec.vmiName ?? ''
  const isLabelled = labels?.[label.vmiName] === vmi
  if (deletionTimestamp !== undefined || (isLabelled && finalizers.includes(finalizer.migration))) return false
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/labels', value: { ...labels, [label.vmiName]: vmi } },
    { op: 'add', path: '/metadata/finalizers', value: [...new Set([...finalizers, finalizer.migration])] },
  ]
  const written = await client.patch(virtualMachineInstanceMigrations, referenceTo(migration), patch, { type: 'json' })
  ownWrites.note(migration, written)
  return true
}

/** The target of a migration that failed is of no use; a guest that moved lives in it, so then it stays. */
export async function removeTarget({ migration, targetPod }: Seen, deps: Deps): Promise<void> {
  if (targetPod === undefined || targetPod.metadata.deletionTimestamp !== undefined) return
  try {
    await remove(targetPod, deps)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const message = `Migration target pod ${targetPod.metadata.name} cannot be deleted: ${why}`
    deps.events.event(migration, 'Warning', reason.failedDelete, message)
    throw error
  }
  const text = `Deleted migration target pod ${targetPod.metadata.name}`
  deps.events.event(migration, 'Normal', reason.successfulDelete, text)
}

async function remove({ metadata }: Pod, { client }: Deps): Promise<void> {
  try {
    const reference = { namespace: metadata.namespace, name: metadata.name }
    await client.delete(pods, reference, { preconditions: { uid: metadata.uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** A finished migration lets itself be deleted. True where that was written. */
export async function release(migration: VirtualMachineInstanceMigration, { client }: Deps): Promise<boolean> {
  const { finalizers = [] } = migration.metadata
  if (!finalizers.includes(finalizer.migration)) return false
  const patch = [
    { op: 'test', path: '/metadata/finalizers', value: finalizers },
    { op: 'replace', path: '/metadata/finalizers', value: finalizers.filter((each) => each !== finalizer.migration) },
  ]
  try {
    await client.patch(virtualMachineInstanceMigrations, referenceTo(migration), patch, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return true
}

/** Deletes the oldest finished migrations of the guest beyond those that are kept. */
export async function collect({ metadata, spec }: VirtualMachineInstanceMigration, deps: Deps): Promise<void> {
  const finished = deps.migrations
    .byIndex('byVmi', keyFor(metadata.namespace, spec.vmiName ?? ''))
    .filter((each) => isFinal(each) && each.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => created(b) - created(a))
  for (const old of finished.slice(kept)) await removeMigration(old, deps)
}

/** A migration whose guest is gone has nothing to tell any more. */
export async function removeMigration(migration: VirtualMachineInstanceMigration, { client }: Deps): Promise<void> {
  if (migration.metadata.deletionTimestamp !== undefined) return
  try {
    const preconditions = { uid: migration.metadata.uid }
    await client.delete(virtualMachineInstanceMigrations, referenceTo(migration), { preconditions })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function referenceTo({ metadata }: VirtualMachineInstanceMigration): { namespace?: string; name: string } {
  return { namespace: metadata.namespace, name: metadata.name }
}

function created({ metadata }: VirtualMachineInstanceMigration): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}
