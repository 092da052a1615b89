import type { Pod } from '@kubevirt-ts/api'
import { hotplugVolumes } from '@kubevirt-ts/vmispec'
import { attachVolumes } from '../attachments/act.ts'
import { isTrigger } from '../attachments/plan.ts'
import { isFinished, isTerminating } from '../pod-state.ts'
import { storageOf } from '../storage/caches.ts'
import type { Deps } from './deps.ts'
import type { Seen } from './seen.ts'

/** Makes the pod that holds the guest's plugged in volumes for the target, once the target has a node. */
export async function attachToTarget({ vmi, targetPod, attachments }: Seen, deps: Deps): Promise<void> {
  if (vmi === undefined || targetPod?.spec.nodeName === undefined) return
  await attachVolumes({ vmi, launcher: targetPod, attachments, ...storageOf(vmi.metadata.namespace, deps) }, deps)
}

/** Whether the target has all that the guest's volumes need there. */
export function isAttached({ vmi, attachments }: Seen): boolean {
  const plugged = vmi === undefined ? [] : hotplugVolumes(vmi.spec)
  return plugged.length === 0 || attachments.some(isReady)
}

/** The pod from which the target's node agent takes the volumes. */
export function targetAttachment({ attachments }: Seen): Pod | undefined {
  return attachments.find(isReady)
}

function isReady(pod: Pod): boolean {
  if (isTrigger(pod) || isTerminating(pod) || isFinished(pod)) return false
  const containers = pod.status?.containerStatuses ?? []
  return containers.length > 0 && containers.every(({ ready }) => ready)
}
