import { controllerRevisions, virtualMachines } from '@kubevirt-ts/api'
import type { ControllerRevision, InstancetypeStatusRef, KubeObject, VirtualMachine } from '@kubevirt-ts/api'
import { isControlledBy, ownerReferenceTo } from '@kubevirt-ts/controller'
import { copyOf, instancetypeReference, preferenceReference } from '@kubevirt-ts/instancetype'
import type { Found, Reference } from '@kubevirt-ts/instancetype'
import { isAlreadyExists } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import type { Deps } from '../deps.ts'

/** The copies that a VM uses, as its status names them. */
export interface References {
  readonly instancetypeRef?: InstancetypeStatusRef
  readonly preferenceRef?: InstancetypeStatusRef
}

/** Keeps a copy of what was found, so that the VM stays as it is when the original changes. Existing ones are used. */
export async function keepCopies(vm: VirtualMachine, found: Found, deps: Deps): Promise<References> {
  const instancetypeRef = await keep(vm, instancetypeReference(vm), found.instancetype, deps)
  const preferenceRef = await keep(vm, preferenceReference(vm), found.preference, deps)
  return {
    ...(instancetypeRef === undefined ? {} : { instancetypeRef }),
    ...(preferenceRef === undefined ? {} : { preferenceRef }),
  }
}

async function keep<T extends KubeObject>(
  vm: VirtualMachine,
  reference: Reference<T> | undefined,
  object: T | undefined,
  { client }: Deps,
): Promise<InstancetypeStatusRef | undefined> {
  if (reference === undefined || object === undefined) return undefined
  const { resource, name, revisionName } = reference
  const statusRef = (copy: string): InstancetypeStatusRef => ({
    name,
    kind: resource.kind,
    controllerRevisionRef: { name: copy },
  })
  if (revisionName !== undefined) return statusRef(revisionName)
  const copy = copyOf(vm, { object, resource, owner: ownerReferenceTo(vm, virtualMachines) })
  try {
    await client.create(controllerRevisions, copy)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await assertOurs(vm, copy, client)
  }
  return statusRef(copy.metadata.name)
}

/** A copy of an earlier VM of the same name will be collected soon: using it would lose it. */
async function assertOurs(vm: VirtualMachine, { metadata }: ControllerRevision, client: Deps['client']): Promise<void> {
  const existing = await client.get(controllerRevisions, { namespace: metadata.namespace, name: metadata.name })
  if (isControlledBy(existing, vm)) return
  throw new VirtError(
    'FailedFindInstancetype',
    `ControllerRevision ${metadata.namespace}/${metadata.name} belongs to another owner; delete it`,
  )
}
