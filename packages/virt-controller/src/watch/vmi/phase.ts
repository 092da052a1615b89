import { howItEnded, isFinished, isLauncherDown, isReadyForHandOver, isTerminating, launcherEnd } from '../pod-state.ts'
import { isReceiver } from '../receiver.ts'
import { handOverProblem } from './hand-over-problem.ts'
import { failedImport } from './launch.ts'
import { launcherPod } from './seen.ts'
import type { Seen } from './seen.ts'

/** A stable word and the sentence for people. */
export interface Cause {
  readonly reason: 'LauncherPodFailed' | 'LauncherPodGone' | 'FailedDataVolumeImport'
  readonly message: string
}

type Phase = string

export interface PhaseVerdict {
  readonly phase: Phase
  /** Why the controller itself failed the VMI; also what its event and `status.reason` say. */
  readonly cause?: Cause
  /** Look again after this many milliseconds: the verdict may change without any event. */
  readonly requeueAfter?: number
}

/**
 * How long the node agent's own verdict is waited for once the pod of a running guest is gone. The agent
 * knows how the guest ended; its update can be late by one lost conflict.
 */
export const verdictGraceMs = 5_000

/**
 * The phase that follows from what is seen. Only the controller's transitions are made here: from
 * Scheduled on the guest is the node agent's, and the controller steps in only when no pod is left.
 */
export function nextPhase(seen: Seen): PhaseVerdict {
  const phase = seen.vmi.status?.phase ?? ''
  if (phase === '' || phase === 'Pending') return beforePod(seen)
  if (phase === 'WaitingForSync') return { phase: isDeleted(seen) ? 'Failed' : phase }
  if (phase === 'Scheduling') return whileScheduling(seen)
  if (phase === 'Scheduled' || phase === 'Running' || phase === 'Unknown') return afterHandOver(seen, phase)
  return { phase }
}

const isDeleted = ({ vmi }: Seen): boolean => vmi.metadata.deletionTimestamp !== undefined

function beforePod(seen: Seen): PhaseVerdict {
  if (launcherPod(seen) !== undefined) return whileScheduling(seen)
  if (isDeleted(seen)) return { phase: 'Failed' }
  const died = seen.temporaryPods.find(({ status }) => status?.phase === 'Failed')
  if (died !== undefined) return { phase: 'Failed', cause: { reason: 'LauncherPodFailed', message: howItEnded(died) } }
  const failed = failedImport(seen)
  if (failed === undefined) return { phase: isReceiver(seen.vmi) ? 'WaitingForSync' : 'Pending' }
  const message = `DataVolume ${seen.vmi.metadata.namespace}/${failed} could not be filled`
  return { phase: 'Failed', cause: { reason: 'FailedDataVolumeImport', message } }
}

function whileScheduling(seen: Seen): PhaseVerdict {
  const pod = launcherPod(seen)
  // No node has taken the VMI over yet, so no guest is lost and a new one is safe.
  if (pod === undefined) return { phase: 'Failed', cause: podGone }
  if (isFinished(pod) || isLauncherDown(pod)) {
    return { phase: 'Failed', cause: { reason: 'LauncherPodFailed', message: howItEnded(pod) } }
  }
  if (isTerminating(pod)) return { phase: 'Failed', cause: podGone }
  const isHandedOver = isReadyForHandOver(pod) && !isDeleted(seen) && handOverProblem(seen) === undefined
  return { phase: isHandedOver ? 'Scheduled' : 'Scheduling' }
}

function afterHandOver(seen: Seen, phase: Phase): PhaseVerdict {
  const failed = phase === 'Scheduled' ? failedAtStart(seen) : undefined
  if (failed !== undefined) return failed
  if (seen.pods.length > 0 || !seen.podsSettled) return { phase }
  const missing = seen.now.getTime() - (seen.fate?.goneSince ?? seen.now.getTime())
  if (phase !== 'Scheduled' && missing < verdictGraceMs) return { phase, requeueAfter: verdictGraceMs - missing }
  const powerdownSucceeded = isDeleted(seen) && seen.fate?.exitCode === 0
  return powerdownSucceeded ? { phase: 'Succeeded' } : { phase: 'Failed', cause: podGone }
}

/**
 * A launcher that fails before it can be called has told its node agent nothing, and nobody else will: the VMI would wait
 * for ever. Where the agent knows more it has its time to say so; a launcher that ended well is left to it.
 */
function failedAtStart(seen: Seen): PhaseVerdict | undefined {
  const pod = launcherPod(seen)
  const ended = pod && launcherEnd(pod)
  if (pod === undefined || ended === undefined || ended.exitCode === 0) return undefined
  const left = Date.parse(ended.finishedAt ?? '') + verdictGraceMs - seen.now.getTime()
  if (left > 0) return { phase: 'Scheduled', requeueAfter: Math.min(left, verdictGraceMs) }
  return { phase: 'Failed', cause: { reason: 'LauncherPodFailed', message: howItEnded(pod) } }
}

const podGone: Cause = { reason: 'LauncherPodGone', message: 'the virt-launcher pod was deleted or evicted' }
