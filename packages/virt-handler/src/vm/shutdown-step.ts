/** A guest that missed one signal gets another. */
const signalEveryMs = 5_000

export type ShutdownStep =
  | { readonly kind: 'kill' }
  | { readonly kind: 'signal'; readonly againAfterMs: number }
  | { readonly kind: 'wait'; readonly againAfterMs: number }

/** When a guest was asked to end. */
export interface Signals {
  readonly firstMs: number
  readonly lastMs?: number | undefined
}

/**
 * What to do now about a guest that has to end.
 * @param graceSeconds how long it may take; 0 ends it at once
 */
export function shutdownStep(graceSeconds: number, { firstMs, lastMs }: Signals, nowMs: number): ShutdownStep {
  const left = graceSeconds * 1_000 - (nowMs - firstMs)
  if (left <= 0) return { kind: 'kill' }
  const quiet = lastMs === undefined ? 0 : lastMs + signalEveryMs - nowMs
  if (quiet > 0) return { kind: 'wait', againAfterMs: Math.min(quiet, left) }
  return { kind: 'signal', againAfterMs: Math.min(signalEveryMs, left) }
}
