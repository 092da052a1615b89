import type { ObjectMeta } from '../../kubernetes/index.ts'
import { annotation } from './labels.ts'

/** How far a guest's move is, as virt-handler of its first node tells in an annotation of the VMI. */
export interface MigrationProgress {
  readonly migrationUid: string
  /** Bytes of memory and disks that are to be moved, as far as is known. */
  readonly totalBytes: number
  readonly remainingBytes: number
  /** On average since the beginning. */
  readonly bytesPerSecond: number
  /** How long the guest stood still at most; there at the end. */
  readonly downtimeMs?: number
  /** When this was written, RFC 3339. */
  readonly at: string
}

/** What the VMI's annotation tells of this very migration; undefined where nothing readable is there. */
export function migrationProgressOf(
  { annotations }: Pick<ObjectMeta, 'annotations'>,
  migrationUid: string | undefined,
): MigrationProgress | undefined {
  const text = annotations?.[annotation.migrationProgress]
  if (text === undefined) return undefined
  try {
    const told = JSON.parse(text) as MigrationProgress
    return told.migrationUid === migrationUid ? told : undefined
  } catch {
    return undefined
  }
}
