import {
  virtualMachineClones,
  virtualMachineExports,
  virtualMachineRestores,
  virtualMachineSnapshots,
} from '@kubevirt-ts/api'
import type { Condition, KubeObject, ResourceType } from '@kubevirt-ts/api'

/** A request of a user, in whose status somebody looks for what became of it. */
export interface Request extends KubeObject {
  readonly status?: { readonly conditions?: Condition[] }
}

/** A kind of request that nothing in this release serves. */
export interface UnservedKind {
  readonly resource: ResourceType<Request>
  readonly informer: 'snapshots' | 'restores' | 'clones' | 'exports'
  /** What it would do, and how a user gets there without it. */
  readonly instead: string
}

const of = (resource: unknown): ResourceType<Request> => resource as ResourceType<Request>

export const unservedKinds: readonly UnservedKind[] = [
  {
    resource: of(virtualMachineSnapshots),
    informer: 'snapshots',
    instead: 'stop the VM and make a VolumeSnapshot of each of its claims',
  },
  {
    resource: of(virtualMachineRestores),
    informer: 'restores',
    instead: 'make claims from the VolumeSnapshots and name them in the VM',
  },
  {
    resource: of(virtualMachineClones),
    informer: 'clones',
    instead: 'create the copy from the manifest of its source, with DataVolumes that clone the claims',
  },
  {
    resource: of(virtualMachineExports),
    informer: 'exports',
    instead: 'mount the claim in a pod and copy the image from there',
  },
]
