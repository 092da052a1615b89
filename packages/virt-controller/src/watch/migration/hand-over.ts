import { label, migrationPolicies, pods, virtualMachineInstances, withMigrationDoubt } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceMigrationState } from '@kubevirt-ts/api'
import { diffPatch } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../lost-race.ts'
import { targetAttachment } from './attach.ts'
import type { Deps } from './deps.ts'
import { settingsFor } from './policy.ts'
import { reason } from './reasons.ts'
import { handedOver, isInDoubt, isOccupied, isTargetGone } from './seen.ts'
import type { Seen } from './seen.ts'
import { hasClaims, ownClaims } from './volumes-match.ts'

/**
 * Tells the agents of both nodes to move the guest, by the migration state on the VMI. The answer is why it must not move
 * to this target.
 */
export async function handOver(seen: Seen, deps: Deps): Promise<string | undefined> {
  const { migration, vmi, targetPod, sourcePod } = seen
  const attachmentUid = targetAttachment(seen)?.metadata.uid
  const targetNode = targetPod?.spec.nodeName
  if (vmi === undefined || targetPod === undefined || targetNode === undefined) return undefined
  if (handedOver(seen) !== undefined || isOccupied(seen)) return undefined
  if (!(await hasVolumes(vmi, targetPod, deps)))
    return `target pod ${targetPod.metadata.name} was made for other volumes`
  const { items: policies } = await deps.client.list(migrationPolicies)
  const namespace = deps.namespaceLabels(vmi.metadata.namespace ?? '')
  const state: VirtualMachineInstanceMigrationState = {
    migrationUid: migration.metadata.uid,
    sourceNode: vmi.status?.nodeName,
    targetNode,
    targetPod: targetPod.metadata.name,
    ...(attachmentUid === undefined ? {} : { targetAttachmentPodUID: attachmentUid }),
    ...(sourcePod === undefined ? {} : { sourcePod: sourcePod.metadata.name }),
    ...settingsFor(vmi, namespace, policies, deps.configuration()),
  }
  const labels = {
    ...vmi.metadata.labels,
    [label.migrationTargetNodeName]: targetNode,
    ...(await resourceLabels(vmi, targetPod, deps)),
  }
  try {
    await writeState({ vmi, metadata: { ...vmi.metadata, labels }, keepsVolumes: true }, state, deps)
    deps.events.event(
      migration,
      'Normal',
      reason.successfulHandOver,
      'Migration target pod is ready, the nodes take over',
    )
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    deps.events.event(migration, 'Warning', reason.failedHandOver, `handing the guest over failed: ${text}`)
    throw error
  }
}

async function hasVolumes(vmi: VirtualMachineInstance, { metadata }: Pod, { client }: Deps): Promise<boolean> {
  const claims = ownClaims(vmi)
  if (claims.size === 0) return true
  // The cache keeps pods without most of their spec.
  return hasClaims(await client.get(pods, { namespace: metadata.namespace, name: metadata.name }), claims)
}

/** The node agent gives the guest what its new pod may use, where that is what it moves for. */
async function resourceLabels(
  { status }: VirtualMachineInstance,
  { metadata }: Pod,
  { client }: Deps,
): Promise<Record<string, string>> {
  const isChanging = (type: string): boolean =>
    status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false
  const cpu = isChanging('HotVCPUChange')
  const memory = isChanging('HotMemoryChange')
  if (!cpu && !memory) return {}
  // The cache keeps pods without most of their spec.
  const pod = await client.get(pods, { namespace: metadata.namespace, name: metadata.name })
  const resources = pod.spec.containers.find(({ name }) => name === 'compute')?.resources
  const limit = resources?.limits?.['cpu']
  const request = resources?.requests?.['memory']
  return {
    ...(cpu && limit !== undefined ? { [label.vmiPodCpuResourceLimits]: String(limit) } : {}),
    ...(memory && request !== undefined ? { [label.vmiPodMemoryResourceRequests]: String(request) } : {}),
  }
}

/** Asks the agents to stop, where they have the migration and did not finish it. */
export async function abort(seen: Seen, deps: Deps): Promise<void> {
  const state = handedOver(seen)
  if (seen.vmi === undefined || state === undefined) return
  if (state.abortRequested === true || state.completed === true || state.failed === true) return
  try {
    await writeState({ vmi: seen.vmi }, { ...state, abortRequested: true }, deps)
  } catch (error) {
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    deps.events.event(seen.migration, 'Warning', reason.failedAbort, `asking the nodes to stop failed: ${text}`)
    throw error
  }
}

/** Ends a migration that the agents have, but cannot finish any more because its target is gone. */
export async function giveUp(seen: Seen, failureReason: string, deps: Deps): Promise<void> {
  const state = handedOver(seen)
  if (seen.vmi === undefined || state === undefined || state.completed === true || state.failed === true) return
  const endTimestamp = `${seen.now.toISOString().slice(0, 19)}Z`
  const isCancelled = seen.migration.metadata.deletionTimestamp !== undefined
  const failed = { ...state, completed: true, failed: true, failureReason, endTimestamp }
  await writeState({ vmi: seen.vmi }, isCancelled ? { ...failed, abortStatus: 'Succeeded' } : failed, deps)
}

/**
 * Answers for a target that is gone where the guest is: it may have run there, so its source must not let it go on. True
 * where that was written.
 */
export async function settleDoubt(seen: Seen, deps: Deps): Promise<boolean> {
  const { vmi } = seen
  const state = handedOver(seen)
  if (vmi === undefined || state === undefined || !isInDoubt(seen) || !isTargetGone(seen)) return false
  const metadata = withMigrationDoubt(vmi.metadata, state.migrationUid ?? '', 'lost')
  const failureReason = state.failureReason ?? goneInDoubt
  const endTimestamp = state.endTimestamp ?? `${seen.now.toISOString().slice(0, 19)}Z`
  await writeState({ vmi, metadata }, { ...state, completed: true, failed: true, failureReason, endTimestamp }, deps)
  return true
}

const goneInDoubt = 'the target pod ended before its node had told whether the guest ran there'

interface Written {
  readonly vmi: VirtualMachineInstance
  /** With other labels or annotations. */
  readonly metadata?: VirtualMachineInstance['metadata']
  /** Only where the guest still has the volumes that were seen. */
  readonly keepsVolumes?: boolean
}

/** Refused where somebody else changed the state since it was seen. */
async function writeState(
  { vmi, metadata = vmi.metadata, keepsVolumes }: Written,
  migrationState: VirtualMachineInstanceMigrationState,
  { client, vmiWrites }: Deps,
): Promise<void> {
  const after = { ...vmi, metadata, status: { ...vmi.status, migrationState } }
  const changes = diffPatch(vmi, after, ['/status/migrationState', '/metadata/labels', '/metadata/annotations'])
  const isTested = keepsVolumes === true && vmi.spec.volumes !== undefined
  const patch = [...(isTested ? [{ op: 'test', path: '/spec/volumes', value: vmi.spec.volumes }] : []), ...changes]
  const { namespace, name } = vmi.metadata
  try {
    vmiWrites.note(vmi, await client.patch(virtualMachineInstances, { namespace, name }, patch, { type: 'json' }))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
