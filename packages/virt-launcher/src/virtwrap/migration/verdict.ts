import type { MigrationOptions } from '@kubevirt-ts/handler-launcher-com'

/** What is known of a migration under way. */
export type Progress = {
  readonly elapsedMs: number
  /** Bytes still to be copied. */
  readonly remaining: number
  /** The least that was ever left, and when that was, in the migration's own time. */
  readonly least: { readonly remaining: number; readonly atMs: number }
  readonly mode: 'PreCopy' | 'PostCopy' | 'Paused'
  /** Bytes that the deadline is reckoned from. */
  readonly size: number
}

export type Verdict =
  | { readonly kind: 'go-on' }
  | { readonly kind: 'post-copy' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'abort'; readonly reason: string }

/** QEMU's own allowance. */
const usualDowntimeMs = 300
/** Enough for the devices of a guest, and so little that most of its memory must have been copied before. */
const firstDowntimeMs = 80
/** A guest that changes its memory faster than it can be copied gets the usual allowance after so long. */
const stallMs = 2_000

/**
 * How long the guest may stand still at the end. QEMU stops it as soon as it expects to copy the rest in that time: with
 * its usual allowance that is a third of a second of memory also where one more round would leave next to nothing.
 */
export function allowedDowntimeMs(
  { elapsedMs, least }: Pick<Progress, 'elapsedMs' | 'least'>,
  { MaxDowntimeMs }: MigrationOptions,
): number {
  const most = MaxDowntimeMs ?? usualDowntimeMs
  return elapsedMs - least.atMs > stallMs ? most : Math.min(firstDowntimeMs, most)
}

const bytesPerUnit = 1e9

/** Milliseconds that a migration of so many bytes may take; undefined for no limit. A paused guest gets twice that. */
export function deadlineMs(size: number, { CompletionTimeoutPerGiB }: MigrationOptions): number | undefined {
  if (CompletionTimeoutPerGiB <= 0) return undefined
  return CompletionTimeoutPerGiB * Math.ceil(size / bytesPerUnit) * 1_000
}

/** What to do about a migration that may never end; the first that fits, as KubeVirt does it. */
export function judge(progress: Progress, options: MigrationOptions): Verdict {
  const { elapsedMs, least, mode, size } = progress
  // Nothing can take a guest back whose memory lives at both ends.
  if (mode === 'PostCopy') return { kind: 'go-on' }
  const usual = deadlineMs(size, options)
  const limit = usual === undefined || mode !== 'Paused' ? usual : 2 * usual
  const late = limit !== undefined && elapsedMs > limit
  if (late && options.AllowWorkloadDisruption && mode === 'PreCopy')
    return options.AllowPostCopy ? { kind: 'post-copy' } : { kind: 'pause' }
  const stalledMs = elapsedMs - least.atMs
  if (options.ProgressTimeout > 0 && stalledMs > options.ProgressTimeout * 1_000)
    return { kind: 'abort', reason: `the migration made no progress for ${options.ProgressTimeout} s` }
  if (late) return { kind: 'abort', reason: `the migration did not end within ${Math.round(limit / 1_000)} s` }
  return { kind: 'go-on' }
}
