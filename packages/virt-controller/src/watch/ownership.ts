import type { KubeObject, LabelSelector, OwnerReference, ResourceType } from '@kubevirt-ts/api'
import { controllerOf, isControlledBy, ownerReferenceTo } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { isSelected } from './label-selector.ts'

/** An owner that keeps a set of members by a label selector. */
export interface Claimer<T extends KubeObject> {
  readonly owner: KubeObject
  readonly ownerResource: ResourceType<KubeObject>
  readonly memberResource: ResourceType<T>
  readonly selector: LabelSelector | undefined
}

/** Objects without a controller are found under this value, those of an owner under its UID. */
export function orphansOf(namespace: string | undefined): string {
  return `orphans/${namespace ?? ''}`
}

/** Index values for members of owners of this kind: the owner's UID, or the orphans of the namespace. */
export function byOwner(ownerKind: string): (object: KubeObject) => readonly string[] {
  return (object) => {
    const owner = controllerOf(object)
    if (owner === undefined) return [orphansOf(object.metadata.namespace)]
    return owner.kind === ownerKind ? [owner.uid] : []
  }
}

/** The members that the owner controls by its UID and still selects. */
export function membersOf<T extends KubeObject>(objects: readonly T[], { owner, selector }: Claimer<T>): T[] {
  return objects.filter((object) => isControlledBy(object, owner) && isSelected(selector, object.metadata.labels))
}

/**
 * Takes in orphans that the selector selects, and lets go of members that it no longer selects. True where anything
 * was written: the events of the changed objects begin the next pass. A deleted owner takes in nothing.
 */
export async function claim<T extends KubeObject>(
  objects: readonly T[],
  claimer: Claimer<T>,
  client: KubeClient,
): Promise<boolean> {
  const { owner, selector } = claimer
  const selected = (object: T): boolean => isSelected(selector, object.metadata.labels)
  const alive = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const lost = alive.filter((object) => isControlledBy(object, owner) && !selected(object))
  const orphans = alive.filter((object) => controllerOf(object) === undefined && selected(object))
  for (const object of lost) await release(object, claimer, client)
  const adoptable = orphans.length > 0 && (await mayAdopt(claimer, client)) ? orphans : []
  for (const object of adoptable) await adopt(object, claimer, client)
  return lost.length + adoptable.length > 0
}

/** The cache may show an owner that is gone or was made again: only a fresh look allows to adopt. */
async function mayAdopt<T extends KubeObject>({ owner, ownerResource }: Claimer<T>, client: KubeClient) {
  if (owner.metadata.deletionTimestamp !== undefined) return false
  try {
    const fresh = await client.get(ownerResource, referenceTo(owner))
    return fresh.metadata.uid === owner.metadata.uid && fresh.metadata.deletionTimestamp === undefined
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

function adopt<T extends KubeObject>(object: T, claimer: Claimer<T>, client: KubeClient): Promise<void> {
  const { owner, ownerResource } = claimer
  const references = [...(object.metadata.ownerReferences ?? []), ownerReferenceTo(owner, ownerResource)]
  return writeOwners(object, references, claimer, client)
}

function release<T extends KubeObject>(object: T, claimer: Claimer<T>, client: KubeClient): Promise<void> {
  const references = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== claimer.owner.metadata.uid)
  return writeOwners(object, references, claimer, client)
}

async function writeOwners<T extends KubeObject>(
  object: T,
  references: readonly OwnerReference[],
  { memberResource }: Claimer<T>,
  client: KubeClient,
): Promise<void> {
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    { op: 'add', path: '/metadata/ownerReferences', value: references },
  ]
  try {
    await client.patch(memberResource, referenceTo(object), patch, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function referenceTo({ metadata }: KubeObject): { namespace?: string; name: string } {
  return { namespace: metadata.namespace, name: metadata.name }
}
