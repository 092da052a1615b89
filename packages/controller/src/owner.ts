import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '@kubevirt-ts/api'

/** The owner that controls the object, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)
}

/** By UID: a new object of the same name is not the owner. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid && owner.metadata.uid !== undefined
}

/** A controlling reference that also blocks the owner's foreground deletion. */
export function ownerReferenceTo(owner: KubeObject, resource: ResourceType<unknown>): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}
