import { library, type Pointer } from './library.ts'
import type { MigrateOptions } from './types.ts'

/** Numbers of libvirt's flags (virDomainMigrateFlags). */
const flag = {
  live: 1,
  peerToPeer: 2,
  persistAtDestination: 8,
  paused: 32,
  copyDisksOnTopOfShared: 128,
  unsafe: 512,
  compressed: 2048,
  autoConverge: 8192,
  postCopy: 32768,
  parallel: 131072,
} as const

/** The flags of a peer-to-peer migration, which the two daemons carry through between themselves. */
export function migrateFlags(options: MigrateOptions): number {
  return [
    flag.live,
    flag.peerToPeer,
    flag.persistAtDestination,
    options.disksUri === undefined ? 0 : flag.copyDisksOnTopOfShared,
    options.paused ? flag.paused : 0,
    options.unsafe ? flag.unsafe : 0,
    options.compressed ? flag.compressed : 0,
    options.autoConverge ? flag.autoConverge : 0,
    options.postCopy ? flag.postCopy : 0,
    options.parallelConnections === undefined ? 0 : flag.parallel,
  ].reduce((all, one) => all | one, 0)
}

/** Typed parameters in libvirt's own memory; `using` frees them. */
export function migrateParameters(options: MigrateOptions): Disposable & { pointer: Pointer; count: number } {
  const lib = library()
  const pointer: Pointer[] = [null]
  const count = [0]
  const capacity = [0]
  const text = (name: string, value: string): number => lib.addString(pointer, count, capacity, name, value)
  text('migrate_uri', options.uri)
  if (options.disksUri !== undefined) text('disks_uri', options.disksUri)
  if (options.destinationXml !== undefined) text('destination_xml', options.destinationXml)
  if (options.bandwidth) lib.addNumber(pointer, count, capacity, 'bandwidth', options.bandwidth)
  if (options.parallelConnections !== undefined)
    lib.addInt(pointer, count, capacity, 'parallel.connections', options.parallelConnections)
  return {
    pointer: pointer[0],
    count: count[0]!,
    [Symbol.dispose]: () => lib.freeParams(pointer[0], count[0]!),
  }
}
