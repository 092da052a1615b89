import { annotation, migrationProgressOf, type MigrationProgress, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { MigrationMetadata } from '@kubevirt-ts/domain'

/** Each word on progress is a write of the whole VMI: not more often than this. */
const tellMs = 5_000

/** What the VMI's annotation is to say next of the guest's move; undefined where nothing is new or it is too soon. */
export function progressToTell(
  { metadata, status }: VirtualMachineInstance,
  told: MigrationMetadata | undefined,
  nowMs: number,
): MigrationProgress | undefined {
  const { uid = '', progress } = told ?? {}
  // A launcher remembers the last move, which may be another one.
  if (progress === undefined || uid !== status?.migrationState?.migrationUid) return undefined
  const before = migrationProgressOf(metadata, uid)
  if (before !== undefined && isSame(before, progress)) return undefined
  const isLast = progress.downtimeMs !== undefined
  if (before !== undefined && !isLast && nowMs - Date.parse(before.at) < tellMs) return undefined
  return { migrationUid: uid, ...progress, at: new Date(nowMs).toISOString() }
}

const isSame = (before: MigrationProgress, after: NonNullable<MigrationMetadata['progress']>): boolean =>
  before.remainingBytes === after.remainingBytes && before.downtimeMs === after.downtimeMs

/** The VMI with that said of it. */
export function withProgress(
  vmi: VirtualMachineInstance,
  progress: MigrationProgress | undefined,
): VirtualMachineInstance {
  if (progress === undefined) return vmi
  const annotations = { ...vmi.metadata.annotations, [annotation.migrationProgress]: JSON.stringify(progress) }
  return { ...vmi, metadata: { ...vmi.metadata, annotations } }
}
