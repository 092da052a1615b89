import type { MigrationProgress } from '@kubevirt-ts/api'

/** What a move is at. */
export interface MoveState {
  readonly phase: string
  readonly progress: MigrationProgress | undefined
}

const cells = 24
const mebibyte = 1024 * 1024

/** `Running [######----] 25%, 96 MiB left, 32 MiB/s`; the phase alone before anything is copied. */
export function moveLine({ phase, progress }: MoveState, { bar }: { readonly bar: boolean }): string {
  if (progress === undefined) return phase
  const { totalBytes, remainingBytes, bytesPerSecond } = progress
  const share = totalBytes > 0 ? Math.min(1, Math.max(0, 1 - remainingBytes / totalBytes)) : 0
  const full = Math.floor(share * cells)
  const drawn = bar ? ` [${'#'.repeat(full)}${'-'.repeat(cells - full)}]` : ':'
  return `${phase}${drawn} ${Math.floor(share * 100)}%, ${mib(remainingBytes)} MiB left, ${mib(bytesPerSecond)} MiB/s`
}

const mib = (bytes: number) => Math.round(bytes / mebibyte)
