import type { ObjectMeta } from '../../kubernetes/index.ts'
import { annotation } from './labels.ts'

/**
 * A guest whose move broke off while it was switched over stands still at its source until one who knows has said where
 * it is. `asked`: its source's agent does not know. `stayed`: it never ran at its target and never will, so it may go on.
 * `lost`: it may have run at its target, which is gone; what is left of it must not run any more. A target that runs it
 * takes the VMI instead.
 */
export type MigrationDoubt = 'asked' | 'stayed' | 'lost'

const words: ReadonlySet<string> = new Set(['asked', 'stayed', 'lost'])

/** What the VMI's annotation says of this very migration; undefined where there is no doubt. */
export function migrationDoubtOf(
  { annotations }: Pick<ObjectMeta, 'annotations'>,
  migrationUid: string | undefined,
): MigrationDoubt | undefined {
  const { doubt, uid } = saidOf(annotations)
  return uid === migrationUid ? doubt : undefined
}

/** The UID of the migration whose guest nobody has found yet: no other may begin. */
export function openMigrationDoubt({ annotations }: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const { doubt, uid } = saidOf(annotations)
  return doubt === 'asked' ? uid : undefined
}

function saidOf(annotations: ObjectMeta['annotations']): { readonly doubt?: MigrationDoubt; readonly uid?: string } {
  const [word = '', uid] = annotations?.[annotation.migrationDoubt]?.split(' ') ?? []
  return uid !== undefined && words.has(word) ? { doubt: word as MigrationDoubt, uid } : {}
}

/** The metadata with that said of a migration. */
export function withMigrationDoubt(metadata: ObjectMeta, migrationUid: string, doubt: MigrationDoubt): ObjectMeta {
  return {
    ...metadata,
    annotations: { ...metadata.annotations, [annotation.migrationDoubt]: `${doubt} ${migrationUid}` },
  }
}

/** The metadata of a guest that was found. */
export function withoutMigrationDoubt(metadata: ObjectMeta): ObjectMeta {
  const { [annotation.migrationDoubt]: _answered, ...annotations } = metadata.annotations ?? {}
  return metadata.annotations === undefined ? metadata : { ...metadata, annotations }
}
