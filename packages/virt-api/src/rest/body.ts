import type {
  AddVolumeOptions,
  EvacuateCancelOptions,
  FreezeUnfreezeTimeout,
  MigrateOptions,
  ObjectGraphOptions,
  PauseOptions,
  RemoveVolumeOptions,
  RestartOptions,
  SEVSessionOptions,
  StartOptions,
  StopOptions,
  UnpauseOptions,
  VirtualMachineMemoryDumpRequest,
} from '@kubevirt-ts/api'
import { decode } from '../schema/decode.ts'
import { StatusError } from '../status-error.ts'

interface OptionTypes {
  AddVolumeOptions: AddVolumeOptions
  EvacuateCancelOptions: EvacuateCancelOptions
  FreezeUnfreezeTimeout: FreezeUnfreezeTimeout
  MigrateOptions: MigrateOptions
  ObjectGraphOptions: ObjectGraphOptions
  PauseOptions: PauseOptions
  RemoveVolumeOptions: RemoveVolumeOptions
  RestartOptions: RestartOptions
  SEVSessionOptions: SEVSessionOptions
  StartOptions: StartOptions
  StopOptions: StopOptions
  UnpauseOptions: UnpauseOptions
  VirtualMachineMemoryDumpRequest: VirtualMachineMemoryDumpRequest
}

export type OptionType = keyof OptionTypes

/** Anything may be absent in what a client sends. */
export type Options<T extends OptionType> = Partial<OptionTypes[T]>

/**
 * The object in a request's body, JSON or YAML; no body and `null` are an empty one. Throws a 400 for what can not be
 * read, or is no object.
 */
export async function readBody(body: unknown): Promise<object> {
  const text = Buffer.isBuffer(body) ? body.toString().trim() : ''
  if (text === '') return {}
  const value = await parsed(text)
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw unreadable('an object is needed')
  return value
}

/** What begins as JSON is JSON; the parser for all else is loaded when somebody sends such a body. */
async function parsed(text: string): Promise<unknown> {
  try {
    if (text.startsWith('{')) return JSON.parse(text) as unknown
    const { parse } = await import('yaml')
    return parse(text, { schema: 'core', logLevel: 'error' }) as unknown
  } catch (error) {
    throw unreadable((error as Error).message)
  }
}

/** Reads options as Go's decoder does, whatever the case of their keys. Throws a 400 for a value of another type. */
export function decodeOptions<T extends OptionType>(type: T, body: object): Options<T> {
  try {
    return decode(type, body) as Options<T>
  } catch (error) {
    throw unreadable((error as Error).message)
  }
}

const unreadable = (problem: string) =>
  new StatusError(400, `Can not unmarshal Request body to struct, error: ${problem}`)
