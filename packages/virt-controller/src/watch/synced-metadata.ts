import { annotation } from '@kubevirt-ts/api'

/** Which keys are synced. */
export interface KeySet {
  readonly has: (key: string) => boolean
  /** Named in full. Keys that only share a prefix may be another's too, such as a network plugin's: those are never removed. */
  readonly names: (key: string) => boolean
}

/** Keys of labels and annotations that go on from a VM's template to its running guest, and from a guest to its pod. */
export interface SyncedKeys {
  readonly label: KeySet
  readonly annotation: KeySet
}

/** What the descheduler reads of pods. */
const always = [annotation.deschedulerEvict, annotation.deschedulerPreferNoEviction]

/**
 * Those of the flags `--additional-launcher-{labels,annotations}-sync` beside the descheduler's.
 * @param labels, annotations keys with commas between; `prefix*` stands for all keys that begin so
 */
export function syncedKeys({ labels = '', annotations = '' } = {}): SyncedKeys {
  return { label: keySet(listOf(labels)), annotation: keySet([...always, ...listOf(annotations)]) }
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** Keys of the product itself are never meant by a prefix. */
const isOurs = (key: string): boolean => /(^|\.)kubevirt\.io(\/|$)/.test(key)

function keySet(patterns: readonly string[]): KeySet {
  const named = new Set(patterns.filter((pattern) => !pattern.endsWith('*')))
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  const names = (key: string): boolean => named.has(key)
  return { names, has: (key) => names(key) || (!isOurs(key) && prefixes.some((prefix) => key.startsWith(prefix))) }
}

type Entries = Readonly<Record<string, string>>

/** What turns the synced keys of `to` into those of `from`, as a merge patch; undefined where they are alike. */
export function syncPatch(
  from: Entries | undefined = {},
  to: Entries | undefined = {},
  synced: KeySet,
): Record<string, string | null> | undefined {
  const wanted = Object.keys(from).filter(synced.has)
  const gone = Object.keys(to).filter((key) => from[key] === undefined && synced.names(key))
  const changes = [...wanted, ...gone].flatMap((key) =>
    from[key] === to[key] ? [] : [[key, from[key] ?? null] as const],
  )
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}
