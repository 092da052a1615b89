import { persistentVolumeClaims } from '@kubevirt-ts/api'
import type { DataVolumeTemplateSpec, KubeObject, ResourceType, VirtualMachine } from '@kubevirt-ts/api'

/** Reads an object; undefined where there is none. */
export type Lookup = <T extends KubeObject>(
  resource: ResourceType<T>,
  reference: { readonly namespace: string; readonly name: string },
) => Promise<T | undefined>

interface Source {
  readonly pvc?: Place
  readonly snapshot?: Place
}

interface Place {
  readonly namespace?: string
  readonly name?: string
}

/** CDI's kinds and the snapshots of volumes, none of which need be installed. */
const cdi = (plural: string, kind: string) => ({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural,
  kind,
  namespaced: true,
})
const dataVolumes: ResourceType<KubeObject> = cdi('datavolumes', 'DataVolume')
const dataSources: ResourceType<KubeObject & { readonly spec?: { readonly source?: Source } }> = cdi(
  'datasources',
  'DataSource',
)
const volumeSnapshots: ResourceType<KubeObject> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  plural: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
}

type What = 'instancetype' | 'preference'

/** Labels by which a volume, or what it is made of, names the instance type and preference for it. */
const labelOf = (what: What) => `instancetype.kubevirt.io/default-${what}`

/**
 * The VM with names in place of `inferFromVolume`, or why one of them can not be found. A failure that is to be
 * ignored takes the wish away. The argument is not changed.
 */
export async function inferMatchers(
  given: VirtualMachine,
  namespace: string,
  lookup: Lookup,
): Promise<{ readonly vm: VirtualMachine; readonly refused?: undefined } | { readonly refused: string }> {
  if (!given.spec.instancetype?.inferFromVolume && !given.spec.preference?.inferFromVolume) return { vm: given }
  const vm = structuredClone(given)
  for (const what of ['instancetype', 'preference'] as const) {
    const { inferFromVolume, inferFromVolumeFailurePolicy } = vm.spec[what] ?? {}
    if (!inferFromVolume) continue
    const ignored = inferFromVolumeFailurePolicy === 'Ignore'
    const labels = await labelsOf(vm, inferFromVolume, { namespace, what, lookup })
    const name = typeof labels === 'string' ? undefined : labels[labelOf(what)]
    if (typeof labels === 'string' || !name) {
      const problem = typeof labels === 'string' ? labels : missing(what, inferFromVolume)
      if (!ignored) return { refused: problem }
      delete vm.spec[what]
      continue
    }
    const kind = labels[`${labelOf(what)}-kind`]
    vm.spec[what] = { name, ...(kind && { kind }) }
    // The memory was for the case that nothing is found.
    if (what === 'instancetype' && ignored) delete vm.spec.template?.spec?.domain?.memory?.guest
  }
  return { vm }
}

const missing = (what: What, volume: string) =>
  `unable to find required ${labelOf(what)} label on the volume ${volume} or what it is made of; label it, or write name instead`

type Labels = Readonly<Record<string, string>>

interface Search {
  readonly namespace: string
  readonly what: What
  readonly lookup: Lookup
}

/** The labels of the first object on the way to the volume's origin that names a default; or what is wrong. */
async function labelsOf(vm: VirtualMachine, name: string, search: Search): Promise<Labels | string> {
  const volume = vm.spec.template?.spec?.volumes?.find((each) => each.name === name)
  if (!volume) return `unable to find volume ${name} to infer defaults`
  const claim = volume.persistentVolumeClaim?.claimName
  if (claim) return firstLabels(search, [[persistentVolumeClaims, { name: claim }]])
  const dataVolume = volume.dataVolume?.name
  if (!dataVolume) return `unable to infer defaults from volume ${name}: only claims and DataVolumes name them`
  const template = vm.spec.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === dataVolume)
  return template
    ? ofTemplate(template, search)
    : firstLabels(search, [
        [dataVolumes, { name: dataVolume }],
        [persistentVolumeClaims, { name: dataVolume }],
      ])
}

async function ofTemplate({ metadata, spec }: DataVolumeTemplateSpec, search: Search): Promise<Labels> {
  const own = metadata?.labels ?? {}
  if (own[labelOf(search.what)]) return own
  const { sourceRef } = spec ?? {}
  if (sourceRef?.kind !== 'DataSource' || !sourceRef.name) return ofSource(spec?.source ?? {}, search.namespace, search)
  const namespace = sourceRef.namespace ?? search.namespace
  const source = await search.lookup(dataSources, { namespace, name: sourceRef.name })
  const labels = source?.metadata.labels ?? {}
  return labels[labelOf(search.what)] ? labels : ofSource(source?.spec?.source ?? {}, namespace, search)
}

const ofSource = ({ pvc, snapshot }: Source, namespace: string, search: Search): Promise<Labels> =>
  firstLabels({ ...search, namespace }, [
    ...(pvc ? [[persistentVolumeClaims, pvc] as const] : []),
    ...(snapshot ? [[volumeSnapshots, snapshot] as const] : []),
  ])

async function firstLabels(
  { namespace, what, lookup }: Search,
  places: readonly (readonly [resource: ResourceType<KubeObject>, place: Place])[],
): Promise<Labels> {
  for (const [resource, place] of places) {
    if (!place.name) continue
    const found = await lookup(resource, { namespace: place.namespace ?? namespace, name: place.name })
    const labels = found?.metadata.labels ?? {}
    if (labels[labelOf(what)]) return labels
  }
  return {}
}
