import { virtualMachines } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { isSameJson } from '../same.ts'
import type { Deps } from './deps.ts'
import type { Seen } from './seen.ts'
import { statusOf } from './status/index.ts'
import type { Outcome } from './status/index.ts'

/** Writes the status where it changed. A VM that vanished needs none any more. */
export async function writeStatus(seen: Seen, outcome: Outcome, { client, ownWrites }: Deps): Promise<void> {
  const status = statusOf(seen, outcome)
  if (isSameJson(status, seen.vm.status)) return
  try {
    const written = await client.update(virtualMachines, { ...seen.vm, status }, { subresource: 'status' })
    ownWrites.note(seen.vm, written)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
