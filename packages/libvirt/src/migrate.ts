import { library, type Pointer } from './library.ts'
import type { MigrateOptions } from './types.ts'

/** Numbers of libvirt's flags (virDomainMigrateFlags). */
const flag = {
  live: 1,
  persistAtDestination: 8,
  paused: 32,
  copyDisksOnTopOfShared: 128,
  changeProtection: 256,
  unsafe: 512,
  compressed: 2048,
  autoConverge: 8192,
  postCopy: 32768,
  parallel: 131072,
} as const

/** The flags of a migration's steps at its destination. */
export function destinationFlags(options: MigrateOptions): number {
  return [
    flag.live,
    flag.persistAtDestination,
    options.copied === undefined ? 0 : flag.copyDisksOnTopOfShared,
    options.paused ? flag.paused : 0,
    options.unsafe ? flag.unsafe : 0,
    options.compressed ? flag.compressed : 0,
    options.postCopy ? flag.postCopy : 0,
    options.parallelConnections === undefined ? 0 : flag.parallel,
  ].reduce((all, one) => all | one, 0)
}

/** The flags of the steps at the source, where nobody else may change the guest from the first to the last of them. */
export function sourceFlags(options: MigrateOptions): number {
  return destinationFlags(options) | flag.changeProtection | (options.autoConverge ? flag.autoConverge : 0)
}

/** Typed parameters in libvirt's own memory, to which more can be added. */
export type Parameters = Disposable & {
  readonly pointer: Pointer
  readonly count: number
  add(name: string, value: string): void
}

/** Of a migration; `using` frees them. */
export function migrateParameters(options: MigrateOptions): Parameters {
  const lib = library()
  const pointer: Pointer[] = [null]
  const count = [0]
  const capacity = [0]
  const add = (name: string, value: string): void => void lib.addString(pointer, count, capacity, name, value)
  add('migrate_uri', options.uri)
  if (options.copied !== undefined) add('disks_uri', options.copied.uri)
  // Left to itself libvirt copies every disk that is not marked as shareable, also onto itself.
  for (const disk of options.copied?.disks ?? []) add('migrate_disks', disk)
  if (options.destinationXml !== undefined) add('destination_xml', options.destinationXml)
  if (options.bandwidth) lib.addNumber(pointer, count, capacity, 'bandwidth', options.bandwidth)
  if (options.parallelConnections !== undefined)
    lib.addInt(pointer, count, capacity, 'parallel.connections', options.parallelConnections)
  return {
    get pointer() {
      return pointer[0]
    },
    get count() {
      return count[0]!
    },
    add,
    [Symbol.dispose]: () => lib.freeParams(pointer[0], count[0]!),
  }
}
