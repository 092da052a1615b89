import { virtualMachines } from '@kubevirt-ts/api'
import { keyOf } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { isSameJson } from '../same.ts'
import type { Deps } from './deps.ts'
import { passesWithin } from './passing.ts'
import type { Seen } from './seen.ts'
import { statusOf } from './status/index.ts'
import type { Outcome } from './status/index.ts'

/**
 * Writes the status where it changed. A VM that vanished needs none any more.
 * @returns milliseconds after which to look again at a state that may pass without having been told; 0 where none is
 */
export async function writeStatus(seen: Seen, outcome: Outcome, deps: Deps): Promise<number> {
  const { client, ownWrites, patience } = deps
  const key = keyOf(seen.vm)
  const status = statusOf(seen, outcome)
  const isSame = isSameJson(status, seen.vm.status)
  const mayPass = isSame ? 0 : passesWithin(seen, status)
  const patient = mayPass > 0 ? patience.left(key, mayPass) : 0
  if (patient > 0) return patient
  patience.forget(key)
  if (isSame) return 0
  try {
    const written = await client.update(virtualMachines, { ...seen.vm, status }, { subresource: 'status' })
    ownWrites.note(seen.vm, written)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return 0
}
