import { annotation, label } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { backupHooks, isBackupHook, ownBackupHooks } from '../../services/template/index.ts'
import { isFinished, isTerminating } from '../pod-state.ts'
import { syncPatch } from '../synced-metadata.ts'
import type { SyncedKeys } from '../synced-metadata.ts'

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

/** Labels that a pod carries as its VMI does, besides those that flags name. */
const mirrored: ReadonlySet<string> = new Set([label.nodeName, label.outdatedLauncherImage])

/** Changes of the pod's labels, as a merge patch; undefined where they are as the VMI says. */
export function podLabelChanges(
  vmi: VirtualMachineInstance,
  pod: Pod,
  { label: synced }: SyncedKeys,
): Record<string, string | null> | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const has = (key: string): boolean => mirrored.has(key) || synced.has(key)
  // A VMI gets the name of its node with the hand-over, its pod once it is bound.
  const labels = { ...(pod.spec.nodeName && { [label.nodeName]: pod.spec.nodeName }), ...vmi.metadata.labels }
  return syncPatch(labels, pod.metadata.labels, { has, names: synced.names })
}

/** What the descheduler finds on a pod whose guest is on its way to another node. */
const inProgress = 'kubevirt'

/** Changes of the pod's annotations, as a merge patch; undefined where they are as the VMI says. */
export function podAnnotationChanges(
  vmi: VirtualMachineInstance,
  pod: Pod,
  { annotation: synced }: SyncedKeys,
  skipsHooks: boolean,
): Record<string, string | null> | undefined {
  if (isTerminating(pod) || isFinished(pod)) return undefined
  const key = annotation.deschedulerEvictionInProgress
  const leaves = vmi.status?.evacuationNodeName !== undefined && vmi.status.evacuationNodeName === pod.spec.nodeName
  const { [key]: _own, ...others } = vmi.metadata.annotations ?? {}
  const wanted = { ...others, ...backupHooks(vmi, skipsHooks), ...(leaves && { [key]: inProgress }) }
  const names = (each: string): boolean => each === key || ownBackupHooks.has(each) || synced.names(each)
  const has = (each: string): boolean => names(each) || isBackupHook(each) || synced.has(each)
  return syncPatch(wanted, pod.metadata.annotations, { names, has })
}
