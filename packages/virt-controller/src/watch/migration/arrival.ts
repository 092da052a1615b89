import { annotation, pods } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from './deps.ts'
import { handedOver } from './seen.ts'
import type { Seen } from './seen.ts'

/** Tells network plugins on the target pod since when the guest runs in it: its addresses follow it from then on. */
export async function noteArrival(seen: Seen, { client }: Deps): Promise<void> {
  const { targetPod } = seen
  const arrived = handedOver(seen)?.targetNodeDomainReadyTimestamp
  if (targetPod === undefined || arrived === undefined) return
  const { namespace, name } = targetPod.metadata
  const annotations = { [annotation.migrationTargetReadyTimestamp]: arrived }
  try {
    await client.patch(pods, { namespace, name }, { metadata: { annotations } }, { type: 'merge' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
