import type { Code, Verdict } from '@kubevirt-ts/scheduling'

/** A verdict, and which plugin gave it. */
export interface Status extends Verdict {
  readonly plugin?: string
  /** What went wrong, for code Error. */
  readonly error?: unknown
}

export function statusOf(code: Code, ...reasons: string[]): Status {
  return { code, reasons }
}

/** A plugin failed: not the pod's or the cluster's fault, so the pod is tried again. */
export function failure(error: unknown, plugin?: string): Status {
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'Error', reasons: [message], error, ...(plugin === undefined ? {} : { plugin }) }
}

export function by(plugin: string, status: Status): Status {
  return status.plugin === undefined ? { ...status, plugin } : status
}

export function messageOf({ reasons }: Status): string {
  return reasons.join(', ')
}
