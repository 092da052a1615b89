import type { Volume } from '@kubevirt-ts/api'
import { invalid, notFound, oneOf, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { isDnsLabel, isDnsSubdomain, repeated } from '../names.ts'
import type { Rule, Subject } from '../rule.ts'

const sourcesOf = (volume: Volume) =>
  Object.keys(volume).filter((key) => key !== 'name' && volume[key as keyof Volume] != null)

export const volumeNames: Rule = ({ spec, field }) => {
  const volumes = spec.volumes ?? []
  const taken = new Set(repeated(volumes, ({ name }) => name))
  return volumes.flatMap(({ name }, index) => {
    const path = `${field}.volumes[${index}].name`
    return [
      ...when(taken.has(index), () => invalid(path, `${field}.volumes must not have the same name: ${name}`)),
      ...when(!isDnsLabel(name ?? ''), () =>
        invalid(path, `${path} '${name}': use at most 63 of a-z, 0-9 and -, with a letter or digit at both ends`),
      ),
    ]
  })
}

export const volumeSources: Rule = ({ spec, field }) =>
  (spec.volumes ?? []).flatMap((volume, index) =>
    when(sourcesOf(volume).length !== 1, () =>
      invalid(
        `${field}.volumes[${index}]`,
        `${field}.volumes[${index}] must have exactly one volume type set; it has ${sourcesOf(volume).join(', ') || 'none'}`,
      ),
    ),
  )

/** Volumes of a kind that a guest can have once. */
export const singletonVolumes: Rule = ({ spec, field }) =>
  (['serviceAccount', 'downwardMetrics', 'memoryDump'] as const).flatMap((kind) =>
    when((spec.volumes ?? []).filter((volume) => volume[kind]).length > 1, () =>
      invalid(`${field}.volumes`, `${field}.volumes must have max one ${kind} volume set`),
    ),
  )

/** Sources that name another object must say which. */
export const volumeReferences: Rule = ({ spec, field }) =>
  (spec.volumes ?? []).flatMap((volume, index) => {
    const path = `${field}.volumes[${index}]`
    const named = (missing: boolean, name: string) =>
      when(missing, () => invalid(`${path}.${name}`, `${path}.${name} is a required field`))
    return [
      ...named(Boolean(volume.configMap) && !volume.configMap!.name, 'configMap.name'),
      ...named(Boolean(volume.secret) && !volume.secret!.secretName, 'secret.secretName'),
      ...named(
        Boolean(volume.serviceAccount) && !volume.serviceAccount!.serviceAccountName,
        'serviceAccount.serviceAccountName',
      ),
      ...when(Boolean(volume.dataVolume) && !volume.dataVolume!.name, () =>
        required(`${path}.name`, 'DataVolume name must be set'),
      ),
    ]
  })

const hostDiskTypes = ['Disk', 'DiskOrCreate']

export const hostDisks: Rule = ({ spec, field, settings }) =>
  (spec.volumes ?? []).flatMap(({ hostDisk }, index) => {
    if (!hostDisk) return []
    const path = `${field}.volumes[${index}]`
    const fixed = hostDisk.capacity !== undefined && String(hostDisk.capacity) !== '0'
    return [
      ...when(!settings.isEnabled('HostDisk'), () =>
        invalid(path, 'HostDisk feature gate is not enabled; enable it in the KubeVirt resource'),
      ),
      ...when(!hostDisk.path, () =>
        notFound(`${path}.hostDisk.path`, `${path}.hostDisk.path is required for hostDisk volume`),
      ),
      ...when(!hostDiskTypes.includes(hostDisk.type), () =>
        invalid(
          `${path}.hostDisk.type`,
          `${path}.hostDisk.type has invalid value '${hostDisk.type}'; ${oneOf(hostDiskTypes)}`,
        ),
      ),
      ...when(fixed && hostDisk.type === 'Disk', () =>
        invalid(
          `${path}.hostDisk.capacity`,
          `${path}.hostDisk.capacity is allowed to pass only with ${path}.hostDisk.type equal to 'DiskOrCreate'`,
        ),
      ),
    ]
  })

export const downwardMetrics: Rule = (subject) => {
  const { spec, field, settings } = subject
  if (settings.isEnabled('DownwardMetrics')) return downwardMetricsDisks(subject)
  const message =
    'downwardMetrics is not allowed: the feature gate DownwardMetrics is not enabled in the KubeVirt resource'
  return [
    ...(spec.volumes ?? []).flatMap((volume, index) =>
      when(Boolean(volume.downwardMetrics), () => invalid(`${field}.volumes[${index}]`, message)),
    ),
    ...when(Boolean(spec.domain.devices.downwardMetrics), () =>
      invalid(`${field}.domain.devices.downwardMetrics`, message),
    ),
  ]
}

function downwardMetricsDisks({ spec, field }: Subject): Cause[] {
  const names = new Set((spec.volumes ?? []).filter((volume) => volume.downwardMetrics).map(({ name }) => name))
  return (spec.domain.devices.disks ?? []).flatMap(({ name, disk }, index) => {
    if (!names.has(name)) return []
    const path = `${field}.domain.devices.disks[${index}].disk`
    if (!disk) return [required(path, 'downwardMetrics volume must be mapped to a disk, not to a lun or cdrom')]
    return when(disk.bus !== 'virtio', () =>
      invalid(`${path}.bus`, 'downwardMetrics volume must be a disk on the virtio bus'),
    )
  })
}

const reservedPaths = ['/var/run/kubevirt', '/var/run/libvirt']

/** Paths of the launcher's container are shared with the guest as filesystems only, never KubeVirt's own. */
export const containerPaths: Rule = ({ spec, field }) =>
  (spec.volumes ?? []).flatMap(({ name, containerPath }, index) => {
    if (!containerPath) return []
    const path = `${field}.domain.volumes[${index}]`
    const isDisk = spec.domain.devices.disks?.some((disk) => disk.name === name)
    const reserved = reservedPaths.find(
      (each) => containerPath.path === each || containerPath.path.startsWith(`${each}/`),
    )
    return [
      ...when(Boolean(isDisk), () =>
        invalid(path, `containerPath volume ${name} can only be used by a filesystem device`),
      ),
      ...when(reserved !== undefined, () =>
        invalid(
          `${path}.containerPath.path`,
          `containerPath ${containerPath.path} is below ${reserved}, which is reserved`,
        ),
      ),
    ]
  })

export const utilityVolumes: Rule = ({ spec, field }) =>
  when(Boolean(spec.utilityVolumes?.length), () =>
    invalid(
      `${field}.utilityVolumes`,
      'cannot create VMI with utility volumes in spec; KubeVirt adds them while it runs',
    ),
  )

export const serviceAccount: Rule = ({ spec, field }) => {
  const volume = spec.volumes?.find((each) => each.serviceAccount)?.serviceAccount
  if (spec.serviceAccountName && !isDnsSubdomain(spec.serviceAccountName)) {
    return [
      invalid(
        `${field}.serviceAccountName`,
        `${field}.serviceAccountName '${spec.serviceAccountName}' is not the name of a service account; use DNS labels joined by dots`,
      ),
    ]
  }
  return when(Boolean(spec.serviceAccountName && volume && volume.serviceAccountName !== spec.serviceAccountName), () =>
    invalid(
      `${field}.serviceAccountName`,
      `${field}.serviceAccountName (${spec.serviceAccountName}) must be the account of the serviceAccount volume (${volume!.serviceAccountName})`,
    ),
  )
}

const configSources = ['configMap', 'secret', 'serviceAccount', 'downwardAPI', 'sysprep'] as const

export const filesystems: Rule = ({ spec, field, settings }) =>
  (spec.domain.devices.filesystems ?? []).flatMap(({ name }) => {
    const volume = spec.volumes?.find((each) => each.name === name)
    if (!volume || volume.containerPath || configSources.some((source) => volume[source])) return []
    return when(!settings.isEnabled('EnableVirtioFsStorageVolumes'), () =>
      invalid(
        `${field}.domain.devices.filesystems`,
        `virtiofs is not allowed for ${name}: the feature gate EnableVirtioFsStorageVolumes is not enabled in the KubeVirt resource`,
      ),
    )
  })
