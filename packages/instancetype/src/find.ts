import {
  controllerRevisions,
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '@kubevirt-ts/api'
import type {
  KubeObject,
  ResourceType,
  VirtualMachine,
  VirtualMachineClusterInstancetype,
  VirtualMachineClusterPreference,
  VirtualMachineInstancetype,
  VirtualMachinePreference,
} from '@kubevirt-ts/api'
import { fromCopy } from './copies.ts'

export type Instancetype = VirtualMachineInstancetype | VirtualMachineClusterInstancetype
export type Preference = VirtualMachinePreference | VirtualMachineClusterPreference

/** One object that a VM names. */
export interface Reference<T extends KubeObject> {
  readonly resource: ResourceType<T>
  readonly namespace?: string
  readonly name: string
  /** The ControllerRevision with the copy that the VM uses, in the VM's namespace; it goes before the live object. */
  readonly revisionName?: string
}

/** Reads one object; undefined where it does not exist. */
export type Lookup = <T extends KubeObject>(
  resource: ResourceType<T>,
  reference: { readonly namespace?: string; readonly name: string },
) => Promise<T | undefined>

/** What a VM names: each is undefined where it names none. */
export interface Found {
  readonly instancetype?: Instancetype
  readonly preference?: Preference
  /** A name that leads nowhere, such as `VirtualMachineClusterInstancetype "u1.small"`; what is missing is not found. */
  readonly missing?: { readonly what: 'instancetype' | 'preference'; readonly name: string }
}

interface Matcher {
  readonly kind?: string
  readonly name?: string
  readonly revisionName?: string
}

interface StatusRef {
  readonly kind?: string
  readonly name?: string
  readonly controllerRevisionRef?: { readonly name?: string }
}

/** The instance type that the VM names; its kind is the cluster-wide one unless told. Throws for an unknown kind. */
export function instancetypeReference({ metadata, spec, status }: VirtualMachine): Reference<Instancetype> | undefined {
  return referenceOf(metadata.namespace, spec.instancetype, status?.instancetypeRef, {
    cluster: virtualMachineClusterInstancetypes,
    namespaced: virtualMachineInstancetypes,
  })
}

/** The preference that the VM names; its kind is the cluster-wide one unless told. Throws for an unknown kind. */
export function preferenceReference({ metadata, spec, status }: VirtualMachine): Reference<Preference> | undefined {
  return referenceOf(metadata.namespace, spec.preference, status?.preferenceRef, {
    cluster: virtualMachineClusterPreferences,
    namespaced: virtualMachinePreferences,
  })
}

function referenceOf<T extends KubeObject>(
  namespace: string | undefined,
  matcher: Matcher | undefined,
  known: StatusRef | undefined,
  resources: { readonly cluster: ResourceType<T>; readonly namespaced: ResourceType<T> },
): Reference<T> | undefined {
  if (!matcher?.name) return undefined
  const kind = (matcher.kind || resources.cluster.kind).toLowerCase()
  const resource = [resources.cluster, resources.namespaced].find(
    (each) => each.kind.toLowerCase() === kind || each.plural === kind || `${each.plural}`.slice(0, -1) === kind,
  )
  if (resource === undefined) {
    const { cluster, namespaced } = resources
    throw new Error(`kind "${matcher.kind}" is unknown; give ${cluster.kind} or ${namespaced.kind}`)
  }
  const revisionName = matcher.revisionName || copyInUse(matcher, known)
  return {
    resource,
    ...(resource.namespaced && namespace !== undefined ? { namespace } : {}),
    name: matcher.name,
    ...(revisionName === undefined ? {} : { revisionName }),
  }
}

/** The copy that the status names, as long as the spec still names the object of which it is one. */
function copyInUse({ kind, name }: Matcher, known: StatusRef | undefined): string | undefined {
  const same = known?.name === name && (!kind || kind.toLowerCase() === known?.kind?.toLowerCase())
  return same ? known?.controllerRevisionRef?.name : undefined
}

/** Reads what the VM names: the copy where there is one, else the live object. */
export async function find(vm: VirtualMachine, lookup: Lookup): Promise<Found> {
  const instancetype = await follow(vm, instancetypeReference(vm), lookup)
  if (typeof instancetype === 'string') return { missing: { what: 'instancetype', name: instancetype } }
  const preference = await follow(vm, preferenceReference(vm), lookup)
  if (typeof preference === 'string') return { missing: { what: 'preference', name: preference } }
  return {
    ...(instancetype === undefined ? {} : { instancetype }),
    ...(preference === undefined ? {} : { preference }),
  }
}

/** The object, or the words for what does not exist. */
async function follow<T extends KubeObject>(
  { metadata }: VirtualMachine,
  reference: Reference<T> | undefined,
  lookup: Lookup,
): Promise<T | string | undefined> {
  if (reference === undefined) return undefined
  const { resource, namespace, name, revisionName } = reference
  if (revisionName !== undefined) {
    const place = { ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }), name: revisionName }
    const copy = await lookup(controllerRevisions, place)
    return copy === undefined ? `ControllerRevision "${revisionName}"` : fromCopy<T>(copy)
  }
  const found = await lookup(resource, { ...(namespace === undefined ? {} : { namespace }), name })
  return found ?? `${resource.kind} "${name}"`
}
