import type { Pod, VolumeStatus } from '@kubevirt-ts/api'
import type { HotplugVolume } from '@kubevirt-ts/vmispec'
import { isTerminating } from '../pod-state.ts'
import { claimState } from '../storage/claim-state.ts'
import type { ClaimState } from '../storage/claim-state.ts'
import { heldByLauncher, isTrigger, volumeNames } from './plan.ts'
import type { AttachmentView } from './plan.ts'

type View = Pick<AttachmentView, 'vmi' | 'attachments' | 'claim' | 'dataVolume' | 'storageClass'>

/** Phases of volumes that no node agent has taken up yet. */
const beforeMount: ReadonlySet<string> = new Set(['', 'Pending', 'Bound', 'AttachedToNode'])
const beforeAttachment: ReadonlySet<string> = new Set(['', 'Pending', 'Bound'])

/** What is told of a volume that the spec wants: where its pod is, and how far it got until the node agent goes on. */
export function pluggedStatus({ name, claimName }: HotplugVolume, known: VolumeStatus, view: View): VolumeStatus {
  const pod = podWith(name, view)
  const phase = known.phase ?? ''
  if (pod === undefined) {
    if (!beforeMount.has(phase)) return known
    const { attachPodUID: _gone, ...hotplugVolume } = known.hotplugVolume ?? {}
    return { ...known, hotplugVolume, ...beforePod(claimName, view) }
  }
  const { attachPodUID: _old, ...before } = known.hotplugVolume ?? {}
  const hotplugVolume = {
    ...before,
    attachPodName: pod.metadata.name,
    // The node agent looks for the volume where this pod is, so the pod must hold it first.
    ...(holdsVolumes(pod) && pod.metadata.uid !== undefined ? { attachPodUID: pod.metadata.uid } : {}),
  }
  if (!beforeMount.has(phase)) return { ...known, hotplugVolume }
  return { ...known, hotplugVolume, phase: 'AttachedToNode', ...wordsOf(pod, name, phase, known) }
}

/** What is told of a volume that left the spec, as long as its pod or the node agent still has it. */
export function unpluggedStatus(known: VolumeStatus, view: View): VolumeStatus | undefined {
  const pod = podWith(known.name, view)
  if (pod === undefined) {
    const isRunning = view.vmi.status?.phase === 'Running'
    return isRunning && heldByLauncher.has(known.phase ?? '') ? known : undefined
  }
  const { name, uid } = pod.metadata
  const hotplugVolume = { attachPodName: name, ...(uid === undefined ? {} : { attachPodUID: uid }) }
  if (!isTerminating(pod)) return { ...known, hotplugVolume }
  const message = `Deleted hotplug attachment pod ${name}, for volume ${known.name}`
  return { ...known, hotplugVolume, phase: 'Detaching', reason: 'SuccessfulDelete', message }
}

function podWith(volume: string, { attachments }: View): Pod | undefined {
  const holding = attachments.filter((pod) => !isTrigger(pod) && volumeNames(pod).includes(volume))
  // A pod that still starts does not hold the volume: until then the one before it does.
  return holding.find(holdsVolumes) ?? holding[0]
}

function holdsVolumes({ metadata, status }: Pod): boolean {
  const containers = status?.containerStatuses ?? []
  return metadata.deletionTimestamp === undefined && containers.length === 1 && containers[0]?.ready === true
}

function wordsOf(pod: Pod, volume: string, phase: string, known: VolumeStatus): Partial<VolumeStatus> {
  const { name } = pod.metadata
  const refusal = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (refusal !== undefined) {
    const message = `hotplug attachment pod ${name} cannot be scheduled: ${refusal.message ?? refusal.reason}`
    return { reason: refusal.reason ?? 'Unschedulable', message }
  }
  if (!beforeAttachment.has(phase) && known.reason === 'SuccessfulCreate') return {}
  return { reason: 'SuccessfulCreate', message: `Created hotplug attachment pod ${name}, for volume ${volume}` }
}

const waitingWords: Readonly<Record<ClaimState, string>> = {
  missing: 'does not exist',
  ready: 'is bound',
  firstConsumer: 'waits for its first consumer',
  unbound: 'is not bound to a volume yet',
  lost: 'has lost its volume',
  importing: 'is being filled by its DataVolume',
  importConsumer: 'waits for a pod that uses it before its DataVolume fills it',
  importFailed: 'could not be filled by its DataVolume',
}

function beforePod(claimName: string, view: View): Partial<VolumeStatus> {
  const state = claimState(claimName, view)
  const named = `PVC ${view.vmi.metadata.namespace}/${claimName}`
  return {
    phase: state === 'ready' ? 'Bound' : 'Pending',
    reason: state === 'missing' ? 'FailedPvcNotFound' : 'PVCNotReady',
    message: `${named} ${waitingWords[state]}`,
  }
}
