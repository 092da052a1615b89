import { createHash } from 'node:crypto'
import { annotation, persistentVolumeClaims, pods } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim, Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isControlledBy, keyOf } from '@kubevirt-ts/controller'
import { ApiError, isAlreadyExists, isForbidden, isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { reasonOf } from '@kubevirt-ts/service'
import { temporaryPod } from '../../services/template/index.ts'
import { isLostRace } from '../lost-race.ts'
import type { Deps } from './deps.ts'
import type { PodActions } from './launch.ts'
import { podAnnotationChanges, podLabelChanges, unpausedCondition } from './pod-metadata.ts'
import { asksForOtherLinks } from './pod-networks.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { launcherPod } from './seen.ts'
import type { Seen } from './seen.ts'

/** Creates and deletes launcher pods as decided, and returns what went wrong; nothing is thrown. */
export async function actOnPods(actions: PodActions, seen: Seen, deps: Deps): Promise<Problem | undefined> {
  if (actions.problem !== undefined) announce(actions.problem, seen, deps)
  for (const pod of actions.remove) {
    const problem = await removePod(pod, seen, deps)
    if (problem !== undefined) return problem
  }
  if (actions.createState !== undefined) return createState(actions.createState, seen, deps)
  if (actions.createTemporary === true) return createPod(seen, deps, 'temporary')
  return actions.create ? createPod(seen, deps, 'launcher') : actions.problem
}

/** A user sees a problem once as an event; the condition tells how long it lasts. */
export function announce(problem: Problem, { vmi }: Seen, { events }: Deps): void {
  const current = vmi.status?.conditions?.find(({ type }) => type === 'Synchronized')
  if (current?.reason === problem.reason && current.message === problem.message) return
  events.event(vmi, 'Warning', problem.reason, problem.message)
}

async function createState(claim: PersistentVolumeClaim, seen: Seen, deps: Deps): Promise<Problem | undefined> {
  try {
    await deps.client.create(persistentVolumeClaims, claim)
    return undefined
  } catch (error) {
    if (isAlreadyExists(error)) return undefined
    const { namespace, name } = claim.metadata
    const text = error instanceof Error ? error.message : String(error)
    const message = `PVC ${namespace}/${name} for the state of the guest's TPM or firmware cannot be created: ${text}`
    const problem = { reason: reason.failedBackendStorageCreate, message, retry: !isInvalid(error) }
    announce(problem, seen, deps)
    return problem
  }
}

async function createPod(seen: Seen, deps: Deps, task: 'launcher' | 'temporary'): Promise<Problem | undefined> {
  const { vmi } = seen
  const key = keyOf(vmi)
  const name = launcherPodName(vmi, task)
  try {
    const launcher = deps.render(vmi)
    const rendered = task === 'temporary' ? temporaryPod(launcher) : launcher
    const metadata = { ...rendered.metadata, name }
    const pod = { apiVersion: 'v1', kind: 'Pod', ...rendered, metadata }
    deps.expectations.expectCreations(key, 1)
    const created = await deps.client.create(pods, pod, { namespace: vmi.metadata.namespace ?? '' })
    deps.events.event(vmi, 'Normal', reason.successfulCreate, `Created virtual machine pod ${created.metadata.name}`)
    return undefined
  } catch (error) {
    deps.expectations.creationObserved(key)
    if (isAlreadyExists(error) && (await isOwnPod(name, seen, deps))) return undefined
    const problem = creationProblem(error, vmi.metadata.namespace ?? '')
    announce(problem, seen, deps)
    return problem
  }
}

/**
 * A VMI has one launcher pod, whose name follows from the VMI's UID: whoever tries to make a second one, be it a
 * leader that does not know yet that it was replaced, is refused by the API server.
 */
export function launcherPodName({ metadata }: VirtualMachineInstance, task = 'launcher'): string {
  const suffix = createHash('sha256')
    .update(`${metadata.uid ?? ''}${task === 'launcher' ? '' : task}`)
    .digest('hex')
    .slice(0, 5)
  return `virt-launcher-${metadata.name}-${suffix}`
}

async function isOwnPod(name: string, { vmi }: Seen, { client }: Deps): Promise<boolean> {
  const reference = { namespace: vmi.metadata.namespace ?? '', name }
  const pod = await client.get(pods, reference).catch(() => undefined)
  return pod !== undefined && isControlledBy(pod, vmi)
}

function creationProblem(error: unknown, namespace: string): Problem {
  const text = error instanceof Error ? error.message : String(error)
  const known = reasonOf(error)
  if (known !== undefined) return { reason: known, message: text, retry: false }
  if (isForbidden(error) && text.includes('violates PodSecurity')) {
    const remedy = `label it with pod-security.kubernetes.io/enforce=privileged`
    return {
      reason: reason.failedCreate,
      message: `namespace ${namespace} does not admit virt-launcher pods, ${remedy}: ${text}`,
      retry: true,
    }
  }
  const hopeless = isInvalid(error) || (error instanceof ApiError && error.code === 400)
  return { reason: reason.failedCreate, message: `virt-launcher pod cannot be created: ${text}`, retry: !hopeless }
}

async function removePod(pod: Pod, { vmi }: Seen, deps: Deps): Promise<Problem | undefined> {
  const { namespace, name, uid } = pod.metadata
  if (deps.podWrites.staleFor(pod) > 0) return undefined
  try {
    await deps.client.delete(pods, { namespace, name: name ?? '' }, { preconditions: { uid } })
    deps.podWrites.note(pod)
    if (pod.metadata.deletionTimestamp === undefined) {
      deps.events.event(vmi, 'Normal', reason.successfulDelete, `Deleted virtual machine pod ${name}`)
    }
    return undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    const text = error instanceof Error ? error.message : String(error)
    const problem = {
      reason: reason.failedDelete,
      message: `virt-launcher pod ${name} cannot be deleted: ${text}`,
      retry: true,
    }
    deps.events.event(vmi, 'Warning', problem.reason, problem.message)
    return problem
  }
}

/** A controller of Multus may join a running pod to the networks that are asked for here. */
function networksOf({ vmi }: Seen, { render }: Deps): string {
  return render(vmi).metadata.annotations?.[annotation.multusNetworks] ?? '[]'
}

/**
 * Tells the pod what it must know of its VMI: the readiness gate, the node label and the networks. The gate opens once the
 * pod has a node, so that the kubelet tells with the containers' start that the pod is ready. The API server takes labels
 * with a status, so that both are one write.
 */
export async function mirrorToPod(seen: Seen, deps: Deps): Promise<Problem | undefined> {
  const pod = launcherPod(seen)
  if (pod?.spec.nodeName === undefined) return undefined
  if (deps.podWrites.staleFor(pod) > 0) return undefined
  try {
    await patchPod(pod, seen, deps)
    return undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    const message = `pod ${pod.metadata.name} cannot be told what its guest became: ${text}`
    const problem = { reason: reason.failedPodPatch, message, retry: true }
    announce(problem, seen, deps)
    return problem
  }
}

async function patchPod(pod: Pod, seen: Seen, deps: Deps): Promise<void> {
  const reference = { namespace: pod.metadata.namespace, name: pod.metadata.name ?? '' }
  const condition = unpausedCondition(seen.vmi, pod)
  const labels = podLabelChanges(seen.vmi, pod, deps.synced)
  const networks = asksForOtherLinks(seen.vmi, pod) ? networksOf(seen, deps) : undefined
  const synced = podAnnotationChanges(seen.vmi, pod, deps.synced, deps.skipsBackupHooks())
  if (networks !== undefined || synced !== undefined) {
    const annotations = { ...synced, ...(networks !== undefined && { [annotation.multusNetworks]: networks }) }
    const written = await deps.client.patch(pods, reference, { metadata: { annotations } }, { type: 'merge' })
    deps.podWrites.note(pod, written)
  }
  if (condition !== undefined) {
    const body = { ...(labels && { metadata: { labels } }), status: { conditions: [condition] } }
    const written = await deps.client.patch(pods, reference, body, { type: 'strategic', subresource: 'status' })
    deps.podWrites.note(pod, written)
  } else if (labels !== undefined) {
    const written = await deps.client.patch(pods, reference, { metadata: { labels } }, { type: 'strategic' })
    deps.podWrites.note(pod, written)
  }
}
