/** The status words of Kubernetes' scheduling framework. */
export type Code = 'Success' | 'Error' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Wait' | 'Skip' | 'Pending'

/** What a rule says of a pod, or of a pod on a node. Success has no reasons. */
export interface Verdict {
  readonly code: Code
  readonly reasons: readonly string[]
}

export const success: Verdict = { code: 'Success', reasons: [] }

/** The rule has nothing to say of this pod, so that its later points need not be asked. */
export const skip: Verdict = { code: 'Skip', reasons: [] }

/** Not here as things are; another pod's end may change that. */
export function unschedulable(...reasons: string[]): Verdict {
  return { code: 'Unschedulable', reasons }
}

/** Not here, and evicting pods would not change it. */
export function unresolvable(...reasons: string[]): Verdict {
  return { code: 'UnschedulableAndUnresolvable', reasons }
}

/** True for both words that refuse. */
export function isRejected({ code }: Verdict): boolean {
  return code === 'Unschedulable' || code === 'UnschedulableAndUnresolvable' || code === 'Pending'
}
