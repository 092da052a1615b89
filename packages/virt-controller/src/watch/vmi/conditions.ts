import type { Condition, Pod, VirtualMachineInstance, VirtualMachineInstanceStatus } from '@kubevirt-ts/api'
import { readyReason } from '@kubevirt-ts/api'
import { guestNotRunning } from '@kubevirt-ts/vmispec'
import { containerProblem, containerReasons, isTerminating } from '../pod-state.ts'
import { kubeletReasons, reason } from './reasons.ts'
import type { Problem } from './reasons.ts'

/** A condition without its times. */
export interface Verdict {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
}

/** The condition does not hold: it is taken away, or left as it is where another owns it. */
export interface Removal {
  readonly type: string
  readonly remove: boolean
}

const podConditionOf = (pod: Pod | undefined, type: string): Condition | undefined =>
  pod?.status?.conditions?.find((condition) => condition.type === type)

/** Whether the guest serves: the pod's own readiness once the guest runs, a reason of our own before. */
export function readyVerdict(phase: string, pod: Pod | undefined): Verdict {
  const no = (why: string, message: string): Verdict => ({ type: 'Ready', status: 'False', reason: why, message })
  if (pod === undefined) return no(readyReason.podNotExists, 'no virt-launcher pod exists')
  if (isTerminating(pod)) return no(readyReason.podTerminating, 'virt-launcher pod is terminating')
  const ready = podConditionOf(pod, 'Ready')
  if (phase !== 'Running') return guestNotRunning(ready?.status === 'True' ? 'podReady' : 'podUnready')
  if (ready === undefined) return no(readyReason.podConditionMissing, 'virt-launcher pod has no condition Ready yet')
  return { type: 'Ready', status: ready.status as Verdict['status'], reason: ready.reason, message: ready.message }
}

/** The scheduler's refusal, in its words; only a refusal is told. */
export function scheduledVerdict(pod: Pod | undefined): Verdict | Removal {
  const scheduled = podConditionOf(pod, 'PodScheduled')
  if (scheduled?.status !== 'False') return { type: 'PodScheduled', remove: true }
  return { type: 'PodScheduled', status: 'False', reason: scheduled.reason, message: scheduled.message }
}

/** Whether somebody asked for the guest to leave its node; it does not leave again once it has. */
export function evictionVerdict({ evacuationNodeName, nodeName }: VirtualMachineInstanceStatus): Verdict | Removal {
  const type = 'EvictionRequested'
  if (evacuationNodeName === undefined || evacuationNodeName !== nodeName) return { type, remove: true }
  return { type, status: 'True', reason: type, message: `the guest is to leave node ${evacuationNodeName}` }
}

/** Reasons of Synchronized that this controller set and may therefore take back. */
const ownReasons: ReadonlySet<string> = new Set([...Object.values(reason), ...containerReasons, ...kubeletReasons])

/**
 * What keeps the VMI from its goal: this pass's problem, else a container that cannot start. A condition that the
 * node agent set is its own to remove.
 */
export function synchronizedVerdict(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  problem: Problem | undefined,
): Verdict | Removal {
  const trouble = problem ?? (pod === undefined ? undefined : containerProblem(pod))
  if (trouble !== undefined) {
    return { type: 'Synchronized', status: 'False', reason: trouble.reason, message: trouble.message }
  }
  const current = vmi.status?.conditions?.find(({ type }) => type === 'Synchronized')
  return { type: 'Synchronized', remove: ownReasons.has(current?.reason ?? '') }
}
