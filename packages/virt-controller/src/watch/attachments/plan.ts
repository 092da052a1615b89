import { createHash } from 'node:crypto'
import { annotation } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { hotplugVolumes } from '@kubevirt-ts/vmispec'
import type { HotplugVolume } from '@kubevirt-ts/vmispec'
import { isFinished, isTerminating } from '../pod-state.ts'
import { claimState } from '../storage/claim-state.ts'
import type { ClaimState, Storage } from '../storage/claim-state.ts'

export interface AttachmentView extends Storage {
  readonly vmi: VirtualMachineInstance
  readonly launcher: Pod
  /** The pods that hold volumes for this launcher, newest first. */
  readonly attachments: readonly Pod[]
}

/** A pod to make, by its name, and the volumes that it holds. */
export interface NewPod {
  readonly name: string
  readonly volumes: readonly HotplugVolume[]
}

export interface AttachmentPlan {
  /** The one pod with all volumes that are ready. */
  readonly attach?: NewPod
  /** A pod for each claim that waits for its first consumer. */
  readonly trigger: readonly NewPod[]
  readonly remove: readonly Pod[]
}

/**
 * One pod holds all volumes that are ready: another set needs another pod, and the old one goes once the new one
 * holds the volumes and no volume that was taken away is still in use.
 */
export function attachmentPlan(view: AttachmentView): AttachmentPlan {
  const wanted = hotplugVolumes(view.vmi.spec)
  const inState = (...states: readonly ClaimState[]): HotplugVolume[] =>
    wanted.filter(({ claimName }) => states.includes(claimState(claimName, view)))
  const ready = inState('ready')
  const triggers = inState('firstConsumer', 'importConsumer').map((volume) => newPod('trigger', [volume], view))
  const attach = ready.length === 0 ? undefined : newPod('attach', ready, view)
  const current = view.attachments.find(({ metadata }) => metadata.name === attach?.name)
  const isKnown = ({ name }: NewPod): boolean => view.attachments.some(({ metadata }) => metadata.name === name)
  return {
    ...(attach === undefined || isKnown(attach) ? {} : { attach }),
    trigger: triggers.filter((trigger) => !isKnown(trigger)),
    remove: removable(view, current, new Set(triggers.map(({ name }) => name)), ready.length > 0),
  }
}

function removable(
  { vmi, attachments }: AttachmentView,
  current: Pod | undefined,
  triggers: ReadonlySet<string>,
  anyReady: boolean,
): Pod[] {
  const alive = attachments.filter((pod) => !isTerminating(pod))
  const isStandIn = (pod: Pod): boolean => isRunning(pod) && !isTrigger(pod) && pod !== current
  // Until the new pod holds the volumes, the newest of the old ones does.
  const standIn = anyReady && !(current !== undefined && isRunning(current)) ? alive.find(isStandIn) : undefined
  const inUse = volumesStillInUse(vmi)
  return alive.filter((pod) => {
    if (isTrigger(pod)) return !triggers.has(pod.metadata.name)
    if (isFinished(pod)) return true
    return pod !== current && pod !== standIn && !volumeNames(pod).some((name) => inUse.has(name))
  })
}

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running'

export function isTrigger({ metadata }: Pod): boolean {
  return metadata.annotations?.[annotation.ephemeralProvisioning] !== undefined
}

export function volumeNames({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) => (persistentVolumeClaim ? [name] : []))
}

/** Phases in which the launcher has the volume: its own pod must outlive them. */
export const heldByLauncher: ReadonlySet<string> = new Set([
  'MountedToPod',
  'Ready',
  'MemoryDumpInProgress',
  'MemoryDumpCompleted',
  'MemoryDumpFailed',
])

/** Volumes that the spec no longer has but that the node agent has not taken out of the launcher yet. */
function volumesStillInUse({ spec, status }: VirtualMachineInstance): Set<string> {
  const wanted = new Set(hotplugVolumes(spec).map(({ name }) => name))
  const left = (status?.volumeStatus ?? []).filter(
    ({ name, phase, hotplugVolume }) =>
      hotplugVolume !== undefined && !wanted.has(name) && heldByLauncher.has(phase ?? ''),
  )
  return new Set(left.map(({ name }) => name))
}

/** The same volumes for the same launcher make the same name: whoever tries to make a second pod is refused. */
function newPod(task: string, volumes: readonly HotplugVolume[], { launcher, claim }: AttachmentView): NewPod {
  const parts = volumes.map(({ name, claimName }) => `${name}=${claim(claimName)?.metadata.uid}`)
  const hash = createHash('sha256').update([task, launcher.metadata.uid, ...parts.toSorted()].join('\n'))
  return { name: `hp-volume-${hash.digest('hex').slice(0, 8)}`, volumes }
}
