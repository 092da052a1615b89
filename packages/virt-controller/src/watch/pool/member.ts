import { virtualMachinePools } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachinePool, VirtualMachineSpec, Volume } from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller'
import { revisionLabel } from './revisions.ts'

/** The number at the end of a member's name; undefined for an adopted VM without one. */
export function indexOf({ metadata }: VirtualMachine): number | undefined {
  const digits = /-(\d+)$/.exec(metadata.name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The lowest numbers whose names are free. */
export function freeIndexes(pool: VirtualMachinePool, count: number, isTaken: (name: string) => boolean): number[] {
  const free: number[] = []
  for (let index = 0; free.length < count; index++) {
    if (!isTaken(`${pool.metadata.name}-${index}`)) free.push(index)
  }
  return free
}

/** The VM of a number, as the pool's template says. */
export function memberOf(pool: VirtualMachinePool, index: number, revision: string): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: `${pool.metadata.name}-${index}`,
      namespace: pool.metadata.namespace,
      ...described(pool, revision),
      ownerReferences: [ownerReferenceTo(pool, virtualMachinePools)],
    },
    spec: specOf(pool, index, revision),
  }
}

/** Labels and annotations that every member has. */
export function described(
  { spec }: VirtualMachinePool,
  revision: string,
): { labels: Record<string, string>; annotations?: Record<string, string> } {
  const { labels, annotations } = spec.virtualMachineTemplate.metadata ?? {}
  return {
    labels: { ...labels, [revisionLabel]: revision },
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  }
}

/** What the template says, with names of its own for what a member must not share with the others. */
export function specOf(
  { spec: pool }: VirtualMachinePool,
  index: number | undefined,
  revision: string,
): VirtualMachineSpec {
  const spec = structuredClone(pool.virtualMachineTemplate.spec) ?? { template: { spec: { domain: { devices: {} } } } }
  const { template } = spec
  const labels = { ...template.metadata?.labels, [revisionLabel]: revision }
  const own: VirtualMachineSpec = { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } }
  return index === undefined ? own : numbered(own, index, pool.nameGeneration)
}

function numbered(
  spec: VirtualMachineSpec,
  index: number,
  names: VirtualMachinePool['spec']['nameGeneration'],
): VirtualMachineSpec {
  const shared = new Set((spec.dataVolumeTemplates ?? []).map(({ metadata }) => metadata.name))
  const disks = (spec.dataVolumeTemplates ?? []).map((each) => ({
    ...each,
    metadata: { ...each.metadata, name: `${each.metadata.name}-${index}` },
  }))
  const rename = (name: string): string => `${name}-${index}`
  const volumes = spec.template.spec?.volumes?.map((volume) =>
    numberedVolume(volume, rename, {
      isOwn: (name) => shared.has(name),
      configMaps: names?.appendIndexToConfigMapRefs === true,
      secrets: names?.appendIndexToSecretRefs === true,
    }),
  )
  const template = spec.template.spec
  return {
    ...spec,
    ...(disks.length === 0 ? {} : { dataVolumeTemplates: disks }),
    template: {
      ...spec.template,
      ...(template === undefined || volumes === undefined ? {} : { spec: { ...template, volumes } }),
    },
  }
}

interface Numbering {
  readonly isOwn: (name: string) => boolean
  readonly configMaps: boolean
  readonly secrets: boolean
}

function numberedVolume(volume: Volume, rename: (name: string) => string, numbering: Numbering): Volume {
  const { dataVolume, persistentVolumeClaim, configMap, secret } = volume
  const { isOwn, configMaps, secrets } = numbering
  if (dataVolume !== undefined && isOwn(dataVolume.name)) {
    return { ...volume, dataVolume: { ...dataVolume, name: rename(dataVolume.name) } }
  }
  if (persistentVolumeClaim !== undefined && isOwn(persistentVolumeClaim.claimName)) {
    const claimName = rename(persistentVolumeClaim.claimName)
    return { ...volume, persistentVolumeClaim: { ...persistentVolumeClaim, claimName } }
  }
  if (configMaps && configMap?.name) return { ...volume, configMap: { ...configMap, name: rename(configMap.name) } }
  if (secrets && secret?.secretName) {
    return { ...volume, secret: { ...secret, secretName: rename(secret.secretName) } }
  }
  return secrets ? withNumberedUserData(volume, rename) : volume
}

function withNumberedUserData(volume: Volume, rename: (name: string) => string): Volume {
  for (const source of ['cloudInitNoCloud', 'cloudInitConfigDrive'] as const) {
    const name = volume[source]?.secretRef?.name
    if (name) return { ...volume, [source]: { ...volume[source], secretRef: { name: rename(name) } } }
  }
  return volume
}
