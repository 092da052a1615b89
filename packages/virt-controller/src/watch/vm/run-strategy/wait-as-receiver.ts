import { leave } from './decision.ts'
import type { Decision } from './decision.ts'

/** The VM waits for a guest that another cluster sends; nothing is started here. */
export function waitAsReceiver(): Decision {
  return leave
}
