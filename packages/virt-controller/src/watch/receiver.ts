import { annotation } from '@kubevirt-ts/api'
import type { ObjectMeta } from '@kubevirt-ts/api'

/** Whether a guest comes from another cluster instead of being started here; asked of a VMI or of a template of one. */
export function isReceiver(object: { readonly metadata?: Partial<ObjectMeta> } | undefined): boolean {
  return object?.metadata?.annotations?.[annotation.createMigrationTarget] === 'true'
}
