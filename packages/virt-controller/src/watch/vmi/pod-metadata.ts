import { label } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isFinished, isTerminating } from '../pod-state.ts'

const unpaused = 'kubevirt.io/virtual-machine-unpaused'

/** The readiness-gate condition that the pod should have, or undefined where it has it. */
export function unpausedCondition(vmi: VirtualMachineInstance, pod: Pod): Record<string, string> | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const paused = vmi.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') ?? false
  const wanted = paused ? { status: 'False', reason: 'Paused' } : { status: 'True', reason: 'NotPaused' }
  const current = pod.status?.conditions?.find(({ type }) => type === unpaused)
  if (current?.status === wanted.status) return undefined
  return {
    type: unpaused,
    ...wanted,
    message: paused ? 'the virtual machine is paused' : 'the virtual machine is not paused',
  }
}

/** Labels that a pod carries as its VMI does. */
const mirrored = [label.nodeName, label.outdatedLauncherImage]

/** Labels of the VMI that its pod must carry too and does not yet. */
export function missingPodLabels(vmi: VirtualMachineInstance, pod: Pod): Record<string, string> | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const missing = mirrored.flatMap((key) => {
    const value = vmi.metadata.labels?.[key]
    return value === undefined || pod.metadata.labels?.[key] === value ? [] : [[key, value] as const]
  })
  return missing.length === 0 ? undefined : Object.fromEntries(missing)
}
