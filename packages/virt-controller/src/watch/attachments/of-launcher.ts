import type { Pod } from '@kubevirt-ts/api'
import { controllerOf } from '@kubevirt-ts/controller'
import type { Lister } from '@kubevirt-ts/controller'

/** The value under which index `byLauncherUid` finds a pod that holds volumes for a launcher. */
export function launcherUidOf(attachment: Pod): readonly string[] {
  const owner = controllerOf(attachment)
  return owner?.kind === 'Pod' ? [owner.uid] : []
}

/** The pods that hold volumes for a launcher, newest first. */
export function attachmentsOf(launcher: Pod | undefined, attachments: Lister<Pod>): Pod[] {
  if (launcher?.metadata.uid === undefined) return []
  const created = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0
  return attachments.byIndex('byLauncherUid', launcher.metadata.uid).toSorted((a, b) => created(b) - created(a))
}
