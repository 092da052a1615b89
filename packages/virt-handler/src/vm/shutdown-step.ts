/** A guest that missed one signal gets another. */
const signalEveryMs = 5_000

export type ShutdownStep = { readonly kind: 'kill' } | { readonly kind: 'signal'; readonly againAfterMs: number }

/**
 * What to do now about a guest that has to end.
 * @param graceSeconds how long it may take; 0 ends it at once
 * @param startedMs when it was asked first
 */
export function shutdownStep(graceSeconds: number, startedMs: number, nowMs: number): ShutdownStep {
  const left = graceSeconds * 1_000 - (nowMs - startedMs)
  if (left <= 0) return { kind: 'kill' }
  return { kind: 'signal', againAfterMs: Math.min(signalEveryMs, left) }
}
