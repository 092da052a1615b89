import { CommandError } from '../command.ts'
import type { Flag, FlagValues } from '../command.ts'
import { parameters, repeated, textsOf } from '../flags.ts'

/** What a volume flag makes of a machine. */
export interface CreatedVolume {
  readonly volume: { readonly name: string } & Readonly<Record<string, unknown>>
  readonly dataVolumeTemplate?: object
  readonly bootOrder: number | undefined
  /** Whether instance type and preference can be read from what the volume is made of. */
  readonly inferable: boolean
}

export const volumeFlags: readonly Flag[] = [
  {
    flags: '--volume-containerdisk <params>',
    help: 'src:IMAGE, name:NAME, bootorder:N; may be given more than once',
    parse: repeated,
  },
  {
    flags: '--volume-pvc <params>',
    help: 'src:CLAIM, name:NAME, bootorder:N; may be given more than once',
    parse: repeated,
  },
  {
    flags: '--volume-import <params>',
    help: 'type:blank|gcs|http|imageio|pvc|registry|s3|vddk|snapshot|ds with src or url, size, name, bootorder',
    parse: repeated,
  },
  {
    flags: '--volume-sysprep <params>',
    help: 'src:NAME, type:configMap|secret; may be given more than once',
    parse: repeated,
  },
  { flags: '--volume-datasource <params>', help: 'deprecated: use --volume-import type:ds', parse: repeated },
  { flags: '--volume-clone-pvc <params>', help: 'deprecated: use --volume-import type:pvc', parse: repeated },
  { flags: '--volume-blank <params>', help: 'deprecated: use --volume-import type:blank', parse: repeated },
]

type Parameters = Readonly<Record<string, string>>

/** All volumes that the flags ask for, the one to boot from first. */
export function volumesOf(flags: FlagValues, vm: string): CreatedVolume[] {
  const each = (name: string, flag: string, known: readonly string[], make: Make): CreatedVolume[] =>
    textsOf(flags, name).map((text, index) => make(parameters(text, known, flag), { vm, flag, index: index + 1 }))
  const fixed =
    (type: string): Make =>
    (given, place) =>
      imported({ ...given, type }, place)
  // In the order in which they are booted from, when no order is given.
  const all = [
    ...each('volumeContainerdisk', 'volume-containerdisk', ['src', 'name', 'bootorder'], containerDisk),
    ...each('volumePvc', 'volume-pvc', ['src', 'name', 'bootorder'], claim),
    ...each('volumeDatasource', 'volume-datasource', importKeys, fixed('ds')),
    ...each('volumeClonePvc', 'volume-clone-pvc', importKeys, fixed('pvc')),
    ...each('volumeBlank', 'volume-blank', importKeys, fixed('blank')),
    ...each('volumeImport', 'volume-import', importKeys, imported),
  ]
  const order = ({ bootOrder }: CreatedVolume) => bootOrder ?? Number.MAX_SAFE_INTEGER
  const sorted = all.toSorted((a, b) => order(a) - order(b))
  return [...sorted, ...each('volumeSysprep', 'volume-sysprep', ['src', 'type', 'name'], sysprep)]
}

interface Place {
  readonly vm: string
  readonly flag: string
  /** Counts from 1 among the volumes of one flag. */
  readonly index: number
}

type Make = (given: Parameters, place: Place) => CreatedVolume

const failed = ({ flag }: Place, message: string) => new CommandError(`failed to parse "--${flag}" flag: ${message}`)

function needed(given: Parameters, key: string, place: Place): string {
  const value = given[key]
  if (!value) throw failed(place, `${key} must be specified`)
  return value
}

function bootOrderOf({ bootorder }: Parameters, place: Place): number | undefined {
  if (bootorder === undefined) return undefined
  if (/^[1-9]\d*$/.test(bootorder)) return Number(bootorder)
  throw failed(place, `bootorder ${bootorder} must be a number greater than 0`)
}

const containerDisk: Make = (given, place) => ({
  volume: {
    name: given['name'] ?? `${place.vm}-containerdisk-${place.index}`,
    containerDisk: { image: needed(given, 'src', place) },
  },
  bootOrder: bootOrderOf(given, place),
  inferable: false,
})

const claim: Make = (given, place) => {
  const claimName = needed(given, 'src', place)
  if (claimName.includes('/')) throw failed(place, 'not allowed to specify namespace of PVC; it is that of the machine')
  return {
    volume: { name: given['name'] ?? claimName, persistentVolumeClaim: { claimName } },
    bootOrder: bootOrderOf(given, place),
    inferable: true,
  }
}

const sysprep: Make = (given, place) => {
  const source = needed(given, 'src', place)
  const type = (given['type'] ?? 'configMap').toLowerCase()
  if (type !== 'configmap' && type !== 'secret')
    throw failed(place, `invalid source type ${type}; use configMap or secret`)
  return {
    volume: {
      name: given['name'] ?? `${place.vm}-sysprep-${place.index}`,
      sysprep: type === 'secret' ? { secret: { name: source } } : { configMap: { name: source } },
    },
    bootOrder: undefined,
    inferable: false,
  }
}

const importKeys = [
  'type',
  'src',
  'url',
  'size',
  'name',
  'bootorder',
  'storageclass',
  'volumemode',
  'accessmode',
  'secretref',
  'secretextraheaders',
  'extraheaders',
  'certconfigmap',
  'diskid',
  'imagestream',
  'pullmethod',
  'backingfile',
  'initimageurl',
  'thumbprint',
  'uuid',
  'checksum',
]

/** Namespace and name of a source; the namespace may be left out. */
function reference(text: string): { namespace?: string; name: string } {
  const at = text.indexOf('/')
  return at === -1 ? { name: text } : { namespace: text.slice(0, at), name: text.slice(at + 1) }
}

/** CDI's fields of a source, by what the flag calls them. */
const sourceFields: Parameters = {
  url: 'url',
  secretref: 'secretRef',
  certconfigmap: 'certConfigMap',
  diskid: 'diskId',
  imagestream: 'imageStream',
  pullmethod: 'pullMethod',
  backingfile: 'backingFile',
  initimageurl: 'initImageURL',
  thumbprint: 'thumbprint',
  uuid: 'uuid',
}

const named = (given: Parameters) =>
  Object.fromEntries(Object.entries(sourceFields).flatMap(([key, field]) => (given[key] ? [[field, given[key]]] : [])))

/** What each type of import can not do without. */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  blank: ['size'],
  gcs: ['url', 'size'],
  http: ['url', 'size'],
  imageio: ['url', 'diskid', 'size'],
  pvc: ['src'],
  registry: ['url', 'size'],
  s3: ['url', 'size'],
  vddk: ['url', 'backingfile', 'uuid', 'secretref', 'size'],
  snapshot: ['src'],
  ds: ['src'],
}

const inferable = new Set(['pvc', 'registry', 'snapshot', 'ds'])

/** A volume that CDI fills before the first start. */
const imported: Make = (given, place) => {
  const type = needed(given, 'type', place)
  const keys = neededKeys[type]
  if (!keys) throw failed(place, `type ${type} is not known; use ${Object.keys(neededKeys).join(', ')}`)
  for (const key of keys) needed(given, key, place)
  const name = given['name'] ?? `${place.vm}-${type}-${place.index}`
  const from = given['src'] ? reference(given['src']) : undefined
  const source = type === 'blank' || from ? (from ?? {}) : named(given)
  const storage = {
    ...(given['size'] && { resources: { requests: { storage: given['size'] } } }),
    ...(given['storageclass'] && { storageClassName: given['storageclass'] }),
    ...(given['volumemode'] && { volumeMode: given['volumemode'] }),
    ...(given['accessmode'] && { accessModes: [given['accessmode']] }),
  }
  return {
    volume: { name, dataVolume: { name } },
    dataVolumeTemplate: {
      metadata: { name },
      spec: {
        storage,
        ...(type === 'ds' ? { sourceRef: { kind: 'DataSource', ...from } } : { source: { [type]: source } }),
      },
    },
    bootOrder: bootOrderOf(given, place),
    inferable: inferable.has(type),
  }
}
