import { pods } from '@kubevirt-ts/api'
import type { KubeVirtConfiguration, Pod } from '@kubevirt-ts/api'
import type { EventRecorder } from '@kubevirt-ts/controller'
import { isAlreadyExists, isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { attachmentPod, triggerPod } from '../../services/template/attachment-pod.ts'
import type { Attachment } from '../../services/template/attachment-pod.ts'
import { attachmentPlan } from './plan.ts'
import type { AttachmentView, NewPod } from './plan.ts'

export interface AttachmentDeps {
  readonly client: KubeClient
  readonly settings: Attachment['settings']
  readonly configuration: () => KubeVirtConfiguration
  readonly events: Pick<EventRecorder, 'event'>
}

export interface AttachmentProblem {
  readonly reason: 'FailedHotplugSync'
  readonly message: string
  readonly retry: boolean
}

/** Makes and removes pods that hold volumes for a launcher, and returns what went wrong; nothing is thrown. */
export async function attachVolumes(
  view: AttachmentView,
  deps: AttachmentDeps,
): Promise<AttachmentProblem | undefined> {
  const { attach, trigger, remove } = attachmentPlan(view)
  const missing = [...(attach === undefined ? [] : [attach]), ...trigger]
  try {
    if (missing.length > 0) await create(missing, attach, view, deps)
    for (const pod of remove) await removeAttachment(pod, view, deps)
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const names = missing.flatMap(({ volumes }) => volumes.map(({ name }) => name))
    const message = `volumes ${names.join(', ')} cannot be attached to pod ${view.launcher.metadata.name}: ${text}`
    deps.events.event(view.vmi, 'Warning', 'FailedHotplugSync', message)
    return { reason: 'FailedHotplugSync', message, retry: !isInvalid(error) }
  }
}

async function create(
  missing: readonly NewPod[],
  attach: NewPod | undefined,
  view: AttachmentView,
  { client, settings, configuration, events }: AttachmentDeps,
): Promise<void> {
  const { vmi, claim } = view
  const { namespace, name } = view.launcher.metadata
  // The cache keeps pods without most of their spec.
  const launcher = await client.get(pods, { namespace, name })
  for (const wanted of missing) {
    const attachment = { name: wanted.name, vmi, launcher, claim, settings, configuration: configuration() }
    const pod =
      wanted === attach
        ? attachmentPod(attachment, wanted.volumes)
        : triggerPod(attachment, wanted.volumes[0] ?? { name: '', claimName: '' })
    try {
      await client.create(pods, pod)
      const names = wanted.volumes.map((volume) => volume.name).join(', ')
      events.event(vmi, 'Normal', 'SuccessfulCreate', `Created attachment pod ${wanted.name} for volumes ${names}`)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
}

/** Removes a pod that no volume needs any more. */
export async function removeAttachment(
  pod: Pod,
  { vmi }: Pick<AttachmentView, 'vmi'>,
  { client, events }: Pick<AttachmentDeps, 'client' | 'events'>,
): Promise<void> {
  const { namespace, name, uid } = pod.metadata
  try {
    await client.delete(pods, { namespace, name }, { preconditions: { uid }, gracePeriodSeconds: 0 })
    events.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted attachment pod ${name}`)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
