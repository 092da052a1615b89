import type { Default } from './default.ts'

/** Images without a tag, or with `latest`, may change; all others are pulled once. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@')) return 'IfNotPresent'
  const tag = /:([^/:]*)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent'
}

export const containerDisks: Default = ({ spec }) => {
  for (const { containerDisk } of spec.volumes ?? []) {
    if (containerDisk) containerDisk.imagePullPolicy ||= pullPolicyOf(containerDisk.image)
  }
}

/** The size of an existing host disk is found later; the field itself is never left out. */
export const hostDisks: Default = ({ spec }) => {
  for (const { hostDisk } of spec.volumes ?? []) if (hostDisk) hostDisk.capacity ??= '0'
}

/** An empty name is no name: it is left out, and refused as missing later. */
export const emptyReferences: Default = ({ spec }) => {
  for (const { configMap, secret, serviceAccount } of spec.volumes ?? []) {
    if (configMap?.name === '') delete configMap.name
    if (secret?.secretName === '') delete secret.secretName
    if (serviceAccount?.serviceAccountName === '') delete serviceAccount.serviceAccountName
  }
}

/** A volume that nothing uses becomes a disk. */
export const missingDisks: Default = ({ spec }) => {
  const devices = spec.domain.devices
  const used = new Set([...(devices.disks ?? []), ...(devices.filesystems ?? [])].map(({ name }) => name))
  const unused = (spec.volumes ?? []).filter(({ name }) => !used.has(name))
  if (unused.length > 0) devices.disks = [...(devices.disks ?? []), ...unused.map(({ name }) => ({ name }))]
}

/** Bus, tray and writability of disks; a block size that is mentioned is wanted. */
export const diskTargets: Default = ({ spec }) => {
  const bus = spec.architecture === 'arm64' || spec.architecture === 's390x' ? 'virtio' : 'sata'
  for (const disk of spec.domain.devices.disks ?? []) {
    if (disk.blockSize?.matchVolume) disk.blockSize.matchVolume.enabled ??= true
    if (!disk.cdrom && !disk.lun) disk.disk ??= {}
    if (disk.disk) disk.disk.bus ||= bus
    if (disk.lun) disk.lun.bus ||= bus
    if (!disk.cdrom) continue
    disk.cdrom.bus ||= bus
    disk.cdrom.readonly ??= true
    disk.cdrom.tray ||= 'closed'
  }
}
