import type { DataVolume, PersistentVolumeClaim, StorageClass } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import type { Lister } from '@kubevirt-ts/controller'
import type { Storage } from './claim-state.ts'

/** Where storage is looked up. */
export interface StorageCaches {
  readonly claims: Lister<PersistentVolumeClaim>
  readonly storageClasses: Lister<StorageClass>
  /** Empty where the cluster has no DataVolumes. */
  readonly dataVolumes: Lister<DataVolume>
}

/** The storage that guests of a namespace can use. */
export function storageOf(
  namespace: string | undefined,
  { claims, dataVolumes, storageClasses }: StorageCaches,
): Storage {
  return {
    claim: (name) => claims.get(keyFor(namespace, name)),
    dataVolume: (name) => dataVolumes.get(keyFor(namespace, name)),
    storageClass: (name) => storageClasses.get(name),
  }
}
