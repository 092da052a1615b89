import type { Pod, Volume } from '@kubevirt-ts/api'
import { isFinished, isTerminating } from '../pod-state.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import type { Seen } from './seen.ts'

/** What to do with launcher pods. */
export interface PodActions {
  readonly create: boolean
  readonly remove: readonly Pod[]
  readonly problem?: Problem
}

const nothing: PodActions = { create: false, remove: [] }

/** Decides over the launcher pods of the VMI: at most one is created, and only before any was. */
export function podActions(seen: Seen): PodActions {
  const { vmi } = seen
  if (vmi.metadata.deletionTimestamp !== undefined) return { create: false, remove: removable(seen.pods) }
  const phase = vmi.status?.phase ?? ''
  if (phase !== '' && phase !== 'Pending') return nothing
  if (seen.pods.length > 0 || !seen.podsSettled) return nothing
  const missing = missingClaim(seen)
  if (missing !== undefined) return { ...nothing, problem: claimProblem(vmi.metadata.namespace ?? '', missing) }
  return { create: true, remove: [] }
}

/** Finished pods are deleted again even while they terminate: nothing in them needs the grace period. */
function removable(pods: readonly Pod[]): Pod[] {
  return pods.filter((pod) => !isTerminating(pod) || (isFinished(pod) && pod.metadata.deletionGracePeriodSeconds !== 0))
}

function missingClaim(seen: Seen): string | undefined {
  return (seen.vmi.spec.volumes ?? [])
    .map(claimName)
    .find((name) => name !== undefined && seen.claim(name) === undefined)
}

/** The claim that must exist before the guest starts; a data volume's claim has the data volume's name. */
function claimName(volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim?.hotpluggable || volume.dataVolume?.hotpluggable) return undefined
  return (
    volume.persistentVolumeClaim?.claimName ??
    volume.dataVolume?.name ??
    volume.ephemeral?.persistentVolumeClaim?.claimName
  )
}

function claimProblem(namespace: string, claim: string): Problem {
  return {
    reason: reason.failedPvcNotFound,
    message: `PVC ${namespace}/${claim} does not exist, waiting for it to appear`,
    retry: false,
  }
}
