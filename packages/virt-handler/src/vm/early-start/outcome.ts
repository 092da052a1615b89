import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { isDeepStrictEqual } from 'node:util'
import type { Progress } from '../progress.ts'
import type { Seen } from '../seen.ts'

/** `made`: the guest is there and waits. `failed`: to be told with the hand-over. `left`: to be made after it. */
export type EarlyOutcome =
  | { readonly kind: 'made'; readonly vmi: VirtualMachineInstance }
  | { readonly kind: 'failed'; readonly reason: unknown }
  | { readonly kind: 'left' }

/** Whether all around the guest is as this version of its VMI wants it. */
export function isMadeFor({ spec }: VirtualMachineInstance, { early }: Progress): boolean {
  return early?.kind === 'made' && isDeepStrictEqual(early.vmi.spec, spec)
}

/** What failed before the VMI was handed over: answered once, when it is. */
export function failedEarly({ vmi }: Seen, progress: Progress): { readonly reason: unknown } | undefined {
  const { early } = progress
  if (vmi?.status?.phase !== 'Scheduled' || vmi.metadata.deletionTimestamp !== undefined) return undefined
  if (early?.kind !== 'failed') return undefined
  delete progress.early
  return early
}
