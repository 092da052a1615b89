import { isFinal } from '@kubevirt-ts/vmispec'
import { attachVolumes, removeAttachment } from '../attachments/act.ts'
import { isReadyForHandOver, isTerminating } from '../pod-state.ts'
import type { Deps } from './deps.ts'
import type { Problem } from './reasons.ts'
import { launcherPod } from './seen.ts'
import type { Seen } from './seen.ts'

/** Sees to the pods that hold volumes for the guest: while it runs, and when it ended. Nothing is thrown. */
export async function attach(seen: Seen, deps: Deps): Promise<Problem | undefined> {
  const launcher = launcherPod(seen)
  if (isFinal(seen.vmi)) return endAttachments(seen, deps)
  if (launcher === undefined || !isReadyForHandOver(launcher)) return undefined
  return attachVolumes({ ...seen, launcher }, deps)
}

/** All of the guest's, also those of a launcher that it moved away from. */
async function endAttachments(seen: Seen, deps: Deps): Promise<Problem | undefined> {
  const left = deps.attachments.byIndex('byGuestUid', seen.vmi.metadata.uid ?? '').filter((pod) => !isTerminating(pod))
  try {
    for (const pod of left) await removeAttachment(pod, seen, deps)
    return undefined
  } catch (error) {
    const message = `attachment pods cannot be deleted: ${error instanceof Error ? error.message : String(error)}`
    return { reason: 'FailedHotplugSync', message, retry: true }
  }
}
