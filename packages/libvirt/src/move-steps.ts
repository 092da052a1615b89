import { library, type Pointer } from './library.ts'
import { destinationFlags, migrateParameters, type Parameters, sourceFlags } from './migrate.ts'
import type { MoveSteps } from './move.ts'
import { offThread } from './off-thread.ts'
import type { MigrateOptions } from './types.ts'

/** A domain, or a connection, that steps are carried out on. Its calls go one after the other. */
export type Side = {
  readonly pointer: Pointer
  run<T>(task: () => Promise<T>): Promise<T>
  error(call: string): Error
}

export type Steps = Disposable & MoveSteps

/** A step's last words, for the next one, in memory that libvirt gave. */
type Cookie = { readonly pointer: Pointer; readonly length: number }
const noCookie: Cookie = { pointer: null, length: 0 }

/**
 * The steps of one move from a domain here to a connection there.
 * @param name of the domain, here and there
 */
export function stepsOf(source: Side, destination: Side, name: string, options: MigrateOptions): Steps {
  const lib = library()
  const flags = { source: sourceFlags(options), destination: destinationFlags(options) }
  let parameters: Parameters = migrateParameters(options)
  let last: { readonly cookie: Cookie; readonly side?: Side } = { cookie: noCookie }

  /** Runs one step with the cookie of the one before, and keeps its own. A side refuses a cookie that it made itself. */
  const step = <T>(side: Side, call: (given: Cookie, out: Pointer[], length: number[]) => Promise<T>): Promise<T> =>
    side.run(async () => {
      const before = last
      const [out, length] = [[null] as Pointer[], [0]]
      try {
        return await call(before.side === side ? noCookie : before.cookie, out, length)
      } finally {
        last = { cookie: { pointer: out[0], length: length[0]! }, side }
        lib.freeMemory(before.cookie.pointer)
      }
    })

  return {
    begin: () =>
      step(source, async (_, out, length) => {
        const { pointer, count } = parameters
        const xml = await offThread<string | null>(
          lib.migrateBegin,
          source.pointer,
          pointer,
          count,
          out,
          length,
          flags.source,
        )
        if (xml === null) throw source.error('migrate (begin)')
        parameters[Symbol.dispose]()
        parameters = migrateParameters({ ...options, destinationXml: xml })
      }),
    prepare: () =>
      step(destination, async (given, out, length) => {
        const uri: Pointer[] = [null]
        const result = await offThread<number>(
          lib.migratePrepare,
          destination.pointer,
          parameters.pointer,
          parameters.count,
          given.pointer,
          given.length,
          out,
          length,
          uri,
          flags.destination,
        )
        lib.freeMemory(uri[0])
        if (result < 0) throw destination.error('migrate (prepare)')
      }),
    perform: () =>
      step(source, async (given, out, length) => {
        const result = await offThread<number>(
          lib.migratePerform,
          source.pointer,
          null,
          parameters.pointer,
          parameters.count,
          given.pointer,
          given.length,
          out,
          length,
          flags.source,
        )
        parameters.add('destination_name', name)
        if (result < 0) throw source.error('migrate (perform)')
      }),
    finish: (cancelled) =>
      step(destination, async (given, out, length) => {
        const domain = await offThread<Pointer>(
          lib.migrateFinish,
          destination.pointer,
          parameters.pointer,
          parameters.count,
          given.pointer,
          given.length,
          out,
          length,
          flags.destination,
          cancelled ? 1 : 0,
        )
        if (domain) await offThread(lib.free, domain)
        else if (!cancelled) throw destination.error('migrate (finish)')
      }),
    confirm: (cancelled) =>
      step(source, async (given) => {
        const result = await offThread<number>(
          lib.migrateConfirm,
          source.pointer,
          parameters.pointer,
          parameters.count,
          given.pointer,
          given.length,
          flags.source,
          cancelled ? 1 : 0,
        )
        if (result < 0) throw source.error('migrate (confirm)')
      }),
    isConnected: async () => (await offThread<number>(lib.isAlive, destination.pointer)) === 1,
    [Symbol.dispose]() {
      parameters[Symbol.dispose]()
      lib.freeMemory(last.cookie.pointer)
      last = { cookie: noCookie }
    },
  }
}
