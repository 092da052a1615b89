import type { ReconcileResult } from '@kubevirt-ts/controller'
import { isConflict, isInvalid } from '@kubevirt-ts/kubecli'

/** The cache shows the winner's write by then. */
const afterLostRaceMs = 200

/**
 * Whether a write was refused because somebody else wrote first: an old resource version, or a JSON patch whose test
 * did not hold. Nothing is wrong then, and the next pass starts from what the other wrote. A refusal of the content
 * itself names its causes.
 */
export function isLostRace(error: unknown): boolean {
  return isConflict(error) || (isInvalid(error) && error.status.details?.causes === undefined)
}

/** A pass that is repeated soon, and not as a failure, where it lost a race. */
export async function patiently(pass: () => Promise<ReconcileResult | void>): Promise<ReconcileResult | void> {
  try {
    return await pass()
  } catch (error) {
    if (!isLostRace(error)) throw error
    return { requeueAfter: afterLostRaceMs }
  }
}
