import type { PersistentVolumeClaimSpec, VolumeResourceRequirements } from '../generated/index.ts'
import type { Quantity } from '../quantity/quantity.ts'
import type { Condition, KubeObject, ObjectMeta } from './meta.ts'

export interface PersistentVolumeClaim {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec?: PersistentVolumeClaimSpec
  status?: {
    accessModes?: string[]
    allocatedResources?: Record<string, Quantity>
    capacity?: Record<string, Quantity>
    conditions?: Condition[]
    phase?: string
  }
}

export interface PersistentVolume extends KubeObject {
  spec?: {
    accessModes?: string[]
    capacity?: Record<string, Quantity>
    claimRef?: { kind?: string; name?: string; namespace?: string; uid?: string }
    persistentVolumeReclaimPolicy?: string
    storageClassName?: string
    volumeMode?: string
  }
  status?: { phase?: string }
}

export interface StorageClass extends KubeObject {
  allowVolumeExpansion?: boolean
  parameters?: Record<string, string>
  provisioner: string
  reclaimPolicy?: string
  volumeBindingMode?: string
}

export interface ResourceQuota extends KubeObject {
  spec?: { hard?: VolumeResourceRequirements['limits']; scopes?: string[] }
  status?: { hard?: Record<string, Quantity>; used?: Record<string, Quantity> }
}
