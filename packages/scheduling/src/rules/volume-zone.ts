import { volumesOf } from '../pod/pod.ts'
import { prepared, refused, skipped, type FilterRule } from '../rule.ts'
import { classOf, type SchedulingVolumeObject, type Volumes } from '../snapshot/volumes.ts'
import { success, unresolvable } from '../verdict.ts'

const refusal = unresolvable('node(s) had no available volume zone')

/** Old labels and what they are called now. */
const current: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
}
const topologyLabels = [...Object.keys(current), ...Object.values(current)]

interface Place {
  readonly key: string
  readonly values: ReadonlySet<string>
}

/** Keeps pods to the zones and regions in the labels of their volumes. */
export const volumeZone: FilterRule<readonly Place[]> = {
  name: 'VolumeZone',
  prepare: ({ pod }, { volumes }) => {
    const places: Place[] = []
    for (const { persistentVolumeClaim } of volumesOf(pod)) {
      if (!persistentVolumeClaim) continue
      const found = placesOfClaim(pod.metadata.namespace ?? '', persistentVolumeClaim.claimName, volumes)
      if (typeof found === 'string') return refused(unresolvable(found))
      places.push(...found)
    }
    return places.length === 0 ? skipped : prepared(places)
  },
  filter: (places, { labels }) => {
    if (!topologyLabels.some((key) => labels[key] !== undefined)) return success
    const isInside = ({ key, values }: Place) => {
      const value = labels[key] ?? labels[current[key] ?? key]
      return value !== undefined && values.has(value)
    }
    return places.every(isInside) ? success : refusal
  },
}

/** A text tells why the claim has no place. */
function placesOfClaim(namespace: string, name: string, volumes: Volumes): readonly Place[] | string {
  if (name === '') return 'PersistentVolumeClaim had no name'
  const claim = volumes.claim(namespace, name)
  if (claim === undefined) return `persistentvolumeclaim "${name}" not found`
  const volumeName = claim.spec?.volumeName ?? ''
  if (volumeName !== '') {
    const volume = volumes.volume(volumeName)
    return volume === undefined ? `persistentvolume "${volumeName}" not found` : placesOf(volume)
  }
  const className = classOf(claim)
  if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name'
  const storageClass = volumes.storageClass(className)
  if (storageClass === undefined) return `storageclass.storage.k8s.io "${className}" not found`
  if (storageClass.volumeBindingMode === undefined) return `VolumeBindingMode not set for StorageClass "${className}"`
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer' ? [] : 'PersistentVolume had no name'
}

/** A label that lists no zones says nothing. */
function placesOf({ metadata: { labels = {} } }: SchedulingVolumeObject): Place[] {
  return topologyLabels.flatMap((key) => {
    const zones = labels[key]?.split('__').map((zone) => zone.trim())
    return zones === undefined || zones.includes('') ? [] : [{ key, values: new Set(zones) }]
  })
}
