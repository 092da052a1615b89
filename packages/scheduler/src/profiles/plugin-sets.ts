import { extensionPoints, type ExtensionPoint } from '../framework/plugin.ts'
import { removedPlugins } from './default-plugins.ts'
import type { Field } from './field.ts'

/** A plugin as a profile names it. */
export interface PluginEntry {
  readonly name: string
  readonly weight?: number
  /** Where it stands in the file; absent for defaults. */
  readonly field?: Field
}

export interface PluginSet {
  readonly enabled: readonly PluginEntry[]
  readonly disabled: readonly PluginEntry[]
}

export type PluginSets = Readonly<Record<ExtensionPoint | 'multiPoint', PluginSet>>

const maxWeight = 1_000_000
const none: PluginSet = { enabled: [], disabled: [] }
const points = ['multiPoint', ...extensionPoints] as const

/** Reads `plugins` of a profile; every name that is enabled must be known. */
export function readPluginSets(
  field: Field | undefined,
  isKnown: (name: string) => boolean,
  known: string,
): PluginSets {
  const given = field?.fields(...points) ?? {}
  return Object.fromEntries(
    points.map((point) => [point, readPluginSet(given[point], isKnown, known)]),
  ) as unknown as PluginSets
}

function readPluginSet(field: Field | undefined, isKnown: (name: string) => boolean, known: string): PluginSet {
  if (field === undefined) return none
  const { enabled, disabled } = field.fields('enabled', 'disabled')
  const set = {
    enabled: (enabled?.items() ?? []).map(readEntry),
    disabled: (disabled?.items() ?? []).map(readEntry),
  }
  const seen = new Set<string>()
  for (const { name, field: place } of set.enabled) {
    if (removedPlugins[name] !== undefined)
      throw place.error(`plugin ${name} cannot be enabled: ${removedPlugins[name]}`)
    if (!isKnown(name)) throw place.error(`there is no plugin ${name}; known are ${known}`)
    if (seen.has(name)) throw place.error(`plugin ${name} is enabled twice`)
    seen.add(name)
  }
  return set
}

function readEntry(field: Field): PluginEntry & { readonly field: Field } {
  const { name, weight } = field.fields('name', 'weight')
  if (name === undefined) throw field.error('needs a name')
  return {
    name: name.string(),
    field: name,
    ...(weight === undefined ? {} : { weight: weight.integer({ minimum: 1, maximum: maxWeight }) }),
  }
}

/** A profile's own set on top of the defaults: what it names again takes the default's place and its own weight. */
export function mergePluginSets(defaults: PluginSet, own: PluginSet): PluginSet {
  const off = new Set([...own.disabled, ...defaults.disabled].map(({ name }) => name))
  const custom = new Map(own.enabled.map((entry) => [entry.name, entry]))
  const replaced = new Set<string>()
  const enabled: PluginEntry[] = []
  for (const entry of off.has('*') ? [] : defaults.enabled) {
    if (off.has(entry.name)) continue
    const override = custom.get(entry.name)
    if (override !== undefined) replaced.add(entry.name)
    enabled.push(override ?? entry)
  }
  return {
    enabled: [...enabled, ...own.enabled.filter(({ name }) => !replaced.has(name))],
    disabled: [...own.disabled, ...defaults.disabled],
  }
}

/**
 * The plugins of one point in their order: those of `multiPoint` that a point names again come first, then the rest of
 * `multiPoint`, then the point's own. Disabling at a point only affects what `multiPoint` brings there.
 */
export function expandPoint(
  point: ExtensionPoint,
  sets: PluginSets,
  doesImplement: (name: string, point: ExtensionPoint) => boolean,
): PluginEntry[] {
  const { enabled, disabled } = sets[point]
  for (const { name, field } of enabled) {
    if (!doesImplement(name, point) && field !== undefined)
      throw field.error(`plugin ${name} takes no part in ${point}`)
  }
  const off = new Set(disabled.map(({ name }) => name))
  if (off.has('*')) return [...enabled]
  const named = new Set(enabled.map(({ name }) => name))
  const brought = sets.multiPoint.enabled.filter(({ name }) => doesImplement(name, point) && !off.has(name))
  const overridden = new Set(brought.filter(({ name }) => named.has(name)).map(({ name }) => name))
  return [
    ...enabled.filter(({ name }) => overridden.has(name)),
    ...brought.filter(({ name }) => !named.has(name)),
    ...enabled.filter(({ name }) => !overridden.has(name)),
  ]
}
