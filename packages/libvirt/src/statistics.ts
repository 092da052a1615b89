import koffi from 'koffi'
import { library, type Pointer } from './library.ts'
import { offThread } from './off-thread.ts'
import type { DomainStatistics } from './types.ts'

/** virTypedParameterType */
const kind = { int: 1, uint: 2, long: 3, ulong: 4, double: 5, boolean: 6, string: 7 } as const

/** A virTypedParameter, whose union is read as `value`; which reading is the right one is told by `type`. */
const typedParameter = (name: string, value: string) =>
  koffi.struct(name, { field: koffi.array('char', 80), type: 'int', padding: 'int', value })

type Reading = { readonly field: string; readonly type: number; readonly value: unknown }
type Readings = ReturnType<typeof defineReadings>
let readings: Readings | undefined

function defineReadings() {
  return {
    record: koffi.struct('virDomainStatsRecord', { dom: 'void *', params: 'void *', nparams: 'int' }),
    [kind.int]: typedParameter('virParameterInt', 'int'),
    [kind.uint]: typedParameter('virParameterUint', 'uint'),
    [kind.long]: typedParameter('virParameterLong', 'int64'),
    [kind.ulong]: typedParameter('virParameterUlong', 'uint64'),
    [kind.double]: typedParameter('virParameterDouble', 'double'),
    [kind.boolean]: typedParameter('virParameterBoolean', 'int8'),
    [kind.string]: typedParameter('virParameterString', 'str'),
  }
}

const everyGroup = 0
/** Leaves out what another call to the same QEMU keeps busy, instead of waiting for it. */
const noWait = 1 << 29

/** sizeof(virTypedParameter) */
const parameterBytes = 96

/** Every statistic of one domain. Undefined after an error of libvirt. */
export async function readStatistics(domain: Pointer): Promise<DomainStatistics | undefined> {
  const { listStats, freeStats } = library()
  const records: Pointer[] = [null]
  const count = await offThread<number>(listStats, [domain, null], everyGroup, records, noWait)
  if (count < 0) return undefined
  try {
    return count === 0 ? {} : parametersOf(koffi.decode(records[0], 'void *') as Pointer)
  } finally {
    await offThread(freeStats, records[0])
  }
}

const completed = 1

/** Statistics of the domain's last job that came to its end, a move; empty where it had none. Undefined after an error. */
export async function readCompletedJob(domain: Pointer): Promise<DomainStatistics | undefined> {
  const { jobStats, freeParams } = library()
  const [type, params, count] = [[0], [null] as Pointer[], [0]]
  if ((await offThread<number>(jobStats, domain, type, params, count, completed)) < 0) return undefined
  try {
    return parametersIn(params[0], count[0]!)
  } finally {
    freeParams(params[0], count[0]!)
  }
}

function parametersOf(record: Pointer): DomainStatistics {
  const types = (readings ??= defineReadings())
  const { params, nparams } = koffi.decode(record, types.record) as { params: Pointer; nparams: number }
  return parametersIn(params, nparams)
}

function parametersIn(params: Pointer, nparams: number): DomainStatistics {
  const types = (readings ??= defineReadings())
  return Object.fromEntries(
    Array.from({ length: nparams }, (_, index) => {
      const offset = index * parameterBytes
      const { type } = koffi.decode(params, offset, types[kind.int]) as Reading
      const { field, value } = koffi.decode(params, offset, types[type as keyof Omit<Readings, 'record'>]) as Reading
      return [field, valueOf(type, value)]
    }),
  )
}

function valueOf(type: number, value: unknown): bigint | number | boolean | string {
  if (type === kind.string) return (value as string | null) ?? ''
  if (type === kind.boolean) return value !== 0
  return type === kind.double ? (value as number) : BigInt(value as number | bigint)
}
