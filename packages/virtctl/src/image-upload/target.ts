import type { KubeObject, PersistentVolumeClaim, ResourceType } from '@kubevirt-ts/api'
import { persistentVolumeClaims } from '@kubevirt-ts/api'
import { isAlreadyExists, isNotFound } from '@kubevirt-ts/kubecli'
import { CommandError } from '../command.ts'
import type { Cluster } from '../command.ts'

/** What is uploaded into, and how it is to be made. */
export interface Target {
  readonly kind: 'dv' | 'pvc'
  readonly name: string
  readonly archive: boolean
  readonly size: string | undefined
  readonly storageClass: string | undefined
  readonly accessMode: string | undefined
  readonly volumeMode: 'Block' | 'Filesystem' | undefined
  readonly forceBind: boolean
  /** Labels that name the instance type and preference for guests of it. */
  readonly labels: Readonly<Record<string, string>>
}

export const dataVolumes: ResourceType<KubeObject & { readonly status?: { readonly phase?: string } }> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datavolumes',
  kind: 'DataVolume',
  namespaced: true,
}

export const annotation = {
  upload: 'cdi.kubevirt.io/storage.upload.target',
  contentType: 'cdi.kubevirt.io/storage.contentType',
  bindNow: 'cdi.kubevirt.io/storage.bind.immediate.requested',
  podReady: 'cdi.kubevirt.io/storage.pod.ready',
  podPhase: 'cdi.kubevirt.io/storage.pod.phase',
} as const

/** Makes the DataVolume or claim that CDI will wait for data for. Throws when there is one already. */
export async function createTarget({ client, namespace }: Cluster, target: Target): Promise<void> {
  const object = target.kind === 'dv' ? dataVolume(target, namespace) : claim(target, namespace)
  const resource: ResourceType<KubeObject> =
    target.kind === 'dv' ? dataVolumes : (persistentVolumeClaims as ResourceType<KubeObject>)
  await client.create(resource, object).catch((error: Error) => {
    if (!isAlreadyExists(error)) throw error
    throw new CommandError(
      `${target.kind === 'dv' ? 'DataVolume' : 'PVC'} ${target.name} already exists: use --no-create to upload into it, or another name`,
    )
  })
}

const storage = ({ size, storageClass, accessMode, volumeMode }: Target) => ({
  resources: { requests: { storage: size! } },
  ...(storageClass && { storageClassName: storageClass }),
  ...(accessMode && { accessModes: [accessMode] }),
  ...(volumeMode && { volumeMode }),
})

function dataVolume(target: Target, namespace: string): KubeObject {
  const { name, archive, forceBind, labels } = target
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace, labels: { ...labels }, annotations: forceBind ? { [annotation.bindNow]: '' } : {} },
    spec: { source: { upload: {} }, contentType: archive ? 'archive' : 'kubevirt', storage: storage(target) },
  } as KubeObject
}

function claim(target: Target, namespace: string): PersistentVolumeClaim {
  const { name, archive, forceBind, labels } = target
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      annotations: {
        [annotation.upload]: '',
        [annotation.contentType]: archive ? 'archive' : 'kubevirt',
        ...(forceBind && { [annotation.bindNow]: '' }),
      },
    },
    spec: { accessModes: ['ReadWriteOnce'], ...storage(target) },
  }
}

/** The claim's annotations, which CDI tells its progress by; undefined while there is no claim. */
export async function progressOf(
  { client, namespace }: Cluster,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const found = await client.get(persistentVolumeClaims, { namespace, name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return found && (found.metadata.annotations ?? {})
}
