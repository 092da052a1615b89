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
import { parseYaml } from './yaml-body.ts'

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

/** What begins as a JSON object or list is one; in YAML a list is none of ours either. */
async function parsed(text: string): Promise<unknown> {
  if (text.startsWith('[')) return []
  try {
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : await parseYaml(text)
  } catch (error) {
    if (error instanceof StatusError) throw error
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
