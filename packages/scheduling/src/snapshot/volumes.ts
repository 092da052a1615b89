import type {
  KubeObject,
  NodeSelector,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceType,
  StorageClass,
} from '@kubevirt-ts/api'

/** A volume with the fields that only schedulers read. */
export type SchedulingVolumeObject = PersistentVolume & {
  readonly spec?: {
    readonly nodeAffinity?: { readonly required?: NodeSelector }
    readonly csi?: { readonly driver: string; readonly volumeHandle: string }
  }
}

export type SchedulingStorageClass = StorageClass & {
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
  }[]
}

export interface CSINode extends KubeObject {
  readonly spec?: { readonly drivers?: readonly CSINodeDriver[] }
}

export interface CSINodeDriver {
  readonly name: string
  readonly allocatable?: { readonly count?: number }
}

export interface VolumeAttachment extends KubeObject {
  readonly spec?: {
    readonly attacher?: string
    readonly nodeName?: string
    readonly source?: { readonly persistentVolumeName?: string }
  }
}

const storage = { group: 'storage.k8s.io', version: 'v1', namespaced: false }
export const csiNodes: ResourceType<CSINode> = { ...storage, plural: 'csinodes', kind: 'CSINode' }
export const volumeAttachments: ResourceType<VolumeAttachment> = {
  ...storage,
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
}

/** The storage of a cluster, by name or key; objects are never changed. */
export interface Volumes {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  volume(name: string): SchedulingVolumeObject | undefined
  volumesOfClass(storageClass: string): readonly SchedulingVolumeObject[]
  storageClass(name: string): SchedulingStorageClass | undefined
  csiNode(name: string): CSINode | undefined
  attachmentsOf(node: string): readonly VolumeAttachment[]
}

export interface VolumeObjects {
  readonly claims?: readonly PersistentVolumeClaim[]
  readonly volumes?: readonly SchedulingVolumeObject[]
  readonly storageClasses?: readonly SchedulingStorageClass[]
  readonly csiNodes?: readonly CSINode[]
  readonly attachments?: readonly VolumeAttachment[]
}

/** Exactly these objects. */
export function volumesFrom(objects: VolumeObjects): Volumes {
  const claims = new Map(
    (objects.claims ?? []).map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]),
  )
  const volumes = byName(objects.volumes)
  const storageClasses = byName(objects.storageClasses)
  const csiNodes = byName(objects.csiNodes)
  return {
    claim: (namespace, name) => claims.get(`${namespace}/${name}`),
    volume: (name) => volumes.get(name),
    volumesOfClass: (name) => [...volumes.values()].filter(({ spec }) => (spec?.storageClassName ?? '') === name),
    storageClass: (name) => storageClasses.get(name),
    csiNode: (name) => csiNodes.get(name),
    attachmentsOf: (node) => (objects.attachments ?? []).filter(({ spec }) => spec?.nodeName === node),
  }
}

/** The class by the older annotation or by the field. */
export function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? ''
}

function byName<T extends KubeObject>(objects: readonly T[] = []): Map<string, T> {
  return new Map(objects.map((each) => [each.metadata.name, each]))
}
