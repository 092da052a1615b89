/** Kinds of the Containerized Data Importer, as far as KubeVirt reads them; a cluster may be without. */
import type { DataVolumeSpec } from '../generated/index.ts'
import type { Condition, KubeObject } from '../kubernetes/meta.ts'
import type { ResourceType } from '../resource-type.ts'

/** A claim that is filled from somewhere. */
export interface DataVolume extends KubeObject {
  spec: DataVolumeSpec
  status?: {
    claimName?: string
    conditions?: Condition[]
    /** Pending, ImportInProgress, WaitForFirstConsumer, Succeeded, Failed, … */
    phase?: string
    progress?: string
    restartCount?: number
  }
}

/** A name for a source that somebody keeps up to date. */
export interface DataSource extends KubeObject {
  spec: { source: { pvc?: { name: string; namespace: string }; snapshot?: { name: string; namespace: string } } }
}

export const dataVolumes: ResourceType<DataVolume> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datavolumes',
  kind: 'DataVolume',
  namespaced: true,
}

export const dataSources: ResourceType<DataSource> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datasources',
  kind: 'DataSource',
  namespaced: true,
}
