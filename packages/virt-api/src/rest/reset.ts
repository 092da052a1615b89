import { StatusError } from '../status-error.ts'
import { always } from './checks.ts'
import type { RestParts, Target } from './parts.ts'
import { pass } from './pass-through.ts'
import { fetchVmi } from './subjects.ts'

/** Resets a guest as its reset button would. Nothing is checked before: the handler's refusal is told with the phase. */
export async function reset(parts: RestParts, target: Target, body: object): Promise<void> {
  const phase = (await fetchVmi(parts.client, target)).status?.phase
  try {
    await pass(parts, target, 'reset', always, body)
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    throw new StatusError(
      error.code,
      `Failed to reset non-running VMI with phase ${phase}: ${error.message}`,
      error.options,
    )
  }
}
