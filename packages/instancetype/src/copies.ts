import { apiVersionOf } from '@kubevirt-ts/api'
import type { ControllerRevision, KubeObject, OwnerReference, ResourceType, VirtualMachine } from '@kubevirt-ts/api'

const prefix = 'instancetype.kubevirt.io'

/** Name of the copy of an object that a VM uses: another generation of the object is another copy. */
export function copyName(vm: VirtualMachine, { metadata }: KubeObject): string {
  return `${vm.metadata.name}-${metadata.name}-${metadata.uid}-${metadata.generation ?? 0}`
}

/** The copy that keeps a VM as it is when its instance type or preference changes later. */
export function copyOf<T extends KubeObject>(
  vm: VirtualMachine,
  {
    object,
    resource,
    owner,
  }: { readonly object: T; readonly resource: ResourceType<T>; readonly owner: OwnerReference },
): ControllerRevision {
  const { metadata } = object
  const { spec } = object as { spec?: unknown }
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: copyName(vm, object),
      ...(vm.metadata.namespace === undefined ? {} : { namespace: vm.metadata.namespace }),
      labels: {
        [`${prefix}/object-generation`]: String(metadata.generation ?? 0),
        [`${prefix}/object-kind`]: resource.kind,
        [`${prefix}/object-name`]: metadata.name,
        [`${prefix}/object-uid`]: metadata.uid ?? '',
        [`${prefix}/object-version`]: resource.version,
      },
      ownerReferences: [owner],
    },
    data: {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...metadata, managedFields: undefined },
      spec,
    },
    revision: 0,
  }
}

/** The object of which this is a copy. Throws where it holds none. */
export function fromCopy<T extends KubeObject>({ metadata, data }: ControllerRevision): T {
  const object = data as { readonly spec?: unknown } | undefined
  if (object?.spec === undefined) {
    throw new Error(
      `ControllerRevision ${metadata.namespace}/${metadata.name} holds no instance type or preference; name another revision`,
    )
  }
  return object as unknown as T
}
