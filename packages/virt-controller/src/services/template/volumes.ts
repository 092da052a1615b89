import { dirname } from 'node:path/posix'
import type { PodVolume, Volume } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service/error'
import { cloudInitSecrets, filesystemNamed, isHotplugVolume } from '@kubevirt-ts/vmispec'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

const secretDir = '/var/run/kubevirt-private/secret'
const diskDir = '/var/run/kubevirt-private/vmi-disks'

type VolumeRenderer = (draft: Draft, launch: Launch, volume: Volume) => void

/** A renderer for each kind of volume that needs something of Kubernetes; the others are made inside the pod. */
const renderers: readonly VolumeRenderer[] = [
  claims,
  hostDisk,
  configMap,
  secret,
  downwardApi,
  sysprep,
  cloudInit,
  downwardMetrics,
]

export function volumes(draft: Draft, launch: Launch): void {
  for (const volume of launch.vmi.spec.volumes ?? []) {
    if (isHotplugVolume(volume)) continue
    for (const render of renderers) render(draft, launch, volume)
  }
}

function claims(draft: Draft, { vmi, context }: Launch, volume: Volume): void {
  const source = claimSource(volume)
  if (source === undefined) return
  const claim = context.claim(source.claimName)
  if (claim === undefined) {
    const named = `${vmi.metadata.namespace}/${source.claimName}`
    throw new VirtError('FailedPvcNotFound', `PVC ${named} of volume ${volume.name} does not exist`)
  }
  addVolume(draft, { name: volume.name, persistentVolumeClaim: source })
  if (claim.spec?.volumeMode === 'Block') {
    draft.compute.volumeDevices.push({ name: volume.name, devicePath: `/dev/${volume.name}` })
  } else {
    draft.compute.volumeMounts.push({ name: volume.name, mountPath: `${diskDir}/${volume.name}` })
  }
}

function claimSource({ persistentVolumeClaim, dataVolume, ephemeral }: Volume): PodVolume['persistentVolumeClaim'] {
  if (persistentVolumeClaim !== undefined) {
    const { claimName, readOnly } = persistentVolumeClaim
    return { claimName, ...(readOnly && { readOnly }) }
  }
  if (dataVolume !== undefined) return { claimName: dataVolume.name }
  const claim = ephemeral?.persistentVolumeClaim
  return claim === undefined ? undefined : { claimName: claim.claimName, ...(claim.readOnly && { readOnly: true }) }
}

function hostDisk(draft: Draft, _launch: Launch, { name, hostDisk }: Volume): void {
  if (hostDisk === undefined) return
  const type = hostDisk.type === 'DiskOrCreate' ? 'DirectoryOrCreate' : 'Directory'
  addVolume(draft, { name, hostPath: { path: dirname(hostDisk.path), type } })
  draft.compute.volumeMounts.push({ name, mountPath: `${diskDir}/${name}` })
}

/** A folder that becomes an ISO for the guest; shared through virtiofs instead, compute itself has no use for it. */
function mountAsDisk({ compute }: Draft, { vmi }: Launch, name: string, folder: string): void {
  const onDisk = vmi.spec.domain.devices.disks?.some((disk) => disk.name === name) ?? false
  if (!onDisk && filesystemNamed(vmi.spec, name) !== undefined) return
  compute.volumeMounts.push({ name, mountPath: `/var/run/kubevirt-private/${folder}/${name}`, readOnly: true })
}

function configMap(draft: Draft, launch: Launch, { name, configMap }: Volume): void {
  if (configMap === undefined) return
  const { name: mapName, optional } = configMap
  addVolume(draft, { name, configMap: { name: mapName, ...(optional === undefined ? {} : { optional }) } })
  mountAsDisk(draft, launch, name, 'config-map')
}

function secret(draft: Draft, launch: Launch, { name, secret }: Volume): void {
  if (secret === undefined) return
  const { secretName, optional } = secret
  addVolume(draft, { name, secret: { secretName, ...(optional === undefined ? {} : { optional }) } })
  mountAsDisk(draft, launch, name, 'secret')
}

function downwardApi(draft: Draft, launch: Launch, { name, downwardAPI }: Volume): void {
  if (downwardAPI === undefined) return
  addVolume(draft, { name, downwardAPI: { items: downwardAPI.fields ?? [] } })
  mountAsDisk(draft, launch, name, 'downwardapi')
}

function sysprep(draft: Draft, _launch: Launch, { name, sysprep }: Volume): void {
  if (sysprep === undefined) return
  const source = sysprep.secret
    ? { secret: { secretName: sysprep.secret.name } }
    : { configMap: { name: sysprep.configMap?.name } }
  addVolume(draft, { name, ...source })
  draft.compute.volumeMounts.push({ name, mountPath: `/var/run/kubevirt-private/sysprep/${name}`, readOnly: true })
}

/** Secrets are mounted key by key, in both spellings that users write. */
function cloudInit(draft: Draft, _launch: Launch, volume: Volume): void {
  const secrets = cloudInitSecrets(volume)
  mountKeys(draft, volume.name, `${volume.name}-udata`, secrets.userData, ['userdata', 'userData'])
  mountKeys(draft, volume.name, `${volume.name}-ndata`, secrets.networkData, ['networkdata', 'networkData'])
}

function mountKeys(draft: Draft, volume: string, name: string, secretName: string | undefined, keys: string[]): void {
  if (secretName === undefined) return
  addVolume(draft, { name, secret: { secretName } })
  for (const key of keys) {
    draft.compute.volumeMounts.push({ name, mountPath: `${secretDir}/${volume}/${key}`, subPath: key, readOnly: true })
  }
}

function downwardMetrics(draft: Draft, _launch: Launch, { name, downwardMetrics }: Volume): void {
  if (downwardMetrics === undefined) return
  addVolume(draft, { name, emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } })
  draft.compute.volumeMounts.push({ name, mountPath: '/var/run/kubevirt-private/downwardmetric-disk' })
}
