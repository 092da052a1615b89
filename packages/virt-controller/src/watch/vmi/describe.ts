import { label } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceStatus } from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import { tscNeed } from '@kubevirt-ts/vmispec'
import { cpuChange, lookAgainMs, memoryChange, migrationRequired, volumesChange } from './changes.ts'
import { dataVolumeVerdicts } from './data-volumes.ts'
import { evictionVerdict, readyVerdict, scheduledVerdict, synchronizedVerdict } from './conditions.ts'
import type { Removal, Verdict } from './conditions.ts'
import { releaseFinalizers } from './finalizers.ts'
import { withPodLinks } from './interface-status.ts'
import { nextPhase } from './phase.ts'
import type { Cause, PhaseVerdict } from './phase.ts'
import { isReadyForHandOver } from '../pod-state.ts'
import type { Problem } from './reasons.ts'
import { launcherPod, startingPod } from './seen.ts'
import type { Seen } from './seen.ts'
import { volumeStatuses } from './volume-status.ts'

/** What every step of the description is given besides the draft. */
interface Facts {
  readonly seen: Seen
  readonly pod: Pod | undefined
  readonly verdict: PhaseVerdict
  readonly problem: Problem | undefined
  /** Present where a VSOCK CID is wanted: yields one that no other VMI of the cluster has. */
  readonly newVsockCid: () => number
}

type Draft = VirtualMachineInstance & { status: VirtualMachineInstanceStatus }
type Step = (draft: Draft, facts: Facts) => void

/** Phase first, since the others ask for it; finalizers last, since they end the object. */
const steps: readonly Step[] = [
  firstSight,
  topology,
  phase,
  pods,
  handOver,
  links,
  launcherAge,
  volumes,
  conditions,
  overheadRatio,
  releaseFinalizers,
]

export interface Description {
  readonly vmi: VirtualMachineInstance
  /** Why the VMI fails in this pass, if it does. */
  readonly cause?: Cause
  readonly requeueAfter?: number
}

/** The VMI as it should be written after this pass; the one that was seen stays untouched. */
export function describe(seen: Seen, problem: Problem | undefined, newVsockCid: () => number): Description {
  // Steps replace fields and never reach into one, so a copy of two levels is enough.
  const draft: Draft = { ...seen.vmi, metadata: { ...seen.vmi.metadata }, status: { ...seen.vmi.status } }
  const verdict = nextPhase(seen)
  const facts: Facts = { seen, pod: launcherPod(seen), verdict, problem, newVsockCid }
  for (const step of steps) step(draft, facts)
  const { cause } = verdict
  const isPending = draft.status.conditions?.some(({ reason }) => reason === 'AutoMigrationPending')
  const requeueAfter = verdict.requeueAfter ?? (isPending === true ? lookAgainMs : undefined)
  return {
    vmi: draft,
    ...(cause === undefined ? {} : { cause }),
    ...(requeueAfter === undefined ? {} : { requeueAfter }),
  }
}

const foreground = 'kubevirt.io/foregroundDeleteVirtualMachine'

/** What the mutating webhook also does; an object that went past it is completed with the first write. */
function firstSight({ metadata, status }: Draft): void {
  const unprocessed = status.phase === undefined || status.phase === '' || status.phase === 'Pending'
  if (!unprocessed || metadata.deletionTimestamp !== undefined) return
  metadata.annotations = {
    ...metadata.annotations,
    'kubevirt.io/latest-observed-api-version': 'v1',
    'kubevirt.io/storage-observed-api-version': 'v1',
  }
  const finalizers = metadata.finalizers ?? []
  if (!finalizers.includes(foreground)) metadata.finalizers = [...finalizers, foreground]
}

/** The frequency is fixed before the pod is made, since the pod's node is chosen by it. */
function topology(draft: Draft, { seen }: Facts): void {
  const { phase, topologyHints } = draft.status
  if (topologyHints?.tscFrequency !== undefined || (phase !== undefined && phase !== '' && phase !== 'Pending')) return
  const tscFrequency = tscNeed(draft) === 'none' ? undefined : seen.lowestFrequency()
  if (tscFrequency !== undefined) draft.status.topologyHints = { ...topologyHints, tscFrequency }
}

function phase({ status }: Draft, { seen, verdict }: Facts): void {
  if (status.phase === verdict.phase) return
  const passed = isHandOver(seen, verdict.phase) && status.phase !== 'Scheduling' ? ['Scheduling'] : []
  status.phase = verdict.phase
  if (verdict.cause !== undefined) status.reason = verdict.cause.reason
  status.phaseTransitionTimestamps = [
    ...(status.phaseTransitionTimestamps ?? []),
    ...[...passed, verdict.phase].map((each) => ({ phase: each, phaseTransitionTimestamp: timestamp(seen.now) })),
  ] as VirtualMachineInstanceStatus['phaseTransitionTimestamps']
}

function pods({ status }: Draft, { seen, pod }: Facts): void {
  const active = seen.pods.map(({ metadata, spec }) => [metadata.uid ?? '', spec.nodeName ?? ''] as const)
  const known = status.activePods ?? {}
  // While the guest is not handed over nobody needs the node's name here, and the hand-over writes it anyway.
  const onlyBound = status.phase === 'Scheduling' && active.every(([uid]) => known[uid] !== undefined)
  if (active.length > 0 && !onlyBound) status.activePods = Object.fromEntries(active)
  if (pod === undefined) return
  const qosClass = pod.status?.qosClass
  if (qosClass !== undefined) status.qosClass = qosClass as NonNullable<VirtualMachineInstanceStatus['qosClass']>
  const image = pod.spec?.containers.find(({ name }) => name === 'compute')?.image
  if (image !== undefined) status.launcherContainerImageVersion = image
  const overhead = pod.metadata.annotations?.['kubevirt.io/memory-overhead-bytes']
  if (overhead !== undefined) status.memory = { ...status.memory, memoryOverhead: overhead }
}

/** Whether the VMI becomes Scheduled in this pass: its pod was waited for, or ran before that was told. */
function isHandOver({ vmi }: Seen, phase: string | undefined): boolean {
  const before = vmi.status?.phase ?? ''
  return phase === 'Scheduled' && (before === 'Scheduling' || before === 'Pending' || before === '')
}

/** Gives the VMI to the node agent of the pod's node: from here on the guest is its business. */
function handOver(draft: Draft, { seen, pod, newVsockCid }: Facts): void {
  if (!isHandOver(seen, draft.status.phase)) return
  if (pod?.spec?.nodeName === undefined || !isReadyForHandOver(pod)) return
  draft.metadata.labels = { ...draft.metadata.labels, 'kubevirt.io/nodeName': pod.spec.nodeName }
  draft.status.nodeName = pod.spec.nodeName
  draft.status.migrationTransport = 'Unix'
  draft.status.interfaces = podInterfaces(draft)
  if (draft.spec.domain.devices.autoattachVSOCK) draft.status.VSOCKCID ??= newVsockCid()
}

/** The pod network's interface is known before the guest runs: the runtime calls it eth0. */
function podInterfaces({ spec, status }: Draft): VirtualMachineInstanceStatus['interfaces'] {
  const primary = spec.networks?.find((network) => network.pod !== undefined || network.multus?.default === true)?.name
  if (primary === undefined) return status.interfaces
  const others = (status.interfaces ?? []).filter(({ name }) => name !== primary)
  return [{ name: primary, podInterfaceName: 'eth0' }, ...others]
}

function links(draft: Draft, { pod }: Facts): void {
  const interfaces = withPodLinks(draft, pod)
  if (interfaces !== undefined) draft.status.interfaces = interfaces
}

/** A guest in an old launcher is marked, so that its users and the workload updater find it; a moved one no longer. */
function launcherAge({ metadata, status }: Draft, { seen }: Facts): void {
  const image = status.launcherContainerImageVersion
  if (image === undefined || (status.phase !== 'Running' && status.phase !== 'Scheduled')) return
  const isMarked = metadata.labels?.[label.outdatedLauncherImage] !== undefined
  const isOld = image !== seen.launcherImage
  if (isOld === isMarked) return
  const { [label.outdatedLauncherImage]: _mark, ...others } = metadata.labels ?? {}
  metadata.labels = isOld ? { ...others, [label.outdatedLauncherImage]: '' } : others
}

const withoutPod: ReadonlySet<string> = new Set(['', 'Pending', 'WaitingForSync'])

function volumes(draft: Draft, { seen }: Facts): void {
  if (withoutPod.has(draft.status.phase ?? '')) return
  draft.status.volumeStatus = volumeStatuses(draft, seen)
}

function conditions(draft: Draft, { seen, pod, problem }: Facts): void {
  const { status } = draft
  const starting = startingPod(seen)
  const verdicts: readonly (Verdict | Removal)[] = [
    readyVerdict(status.phase ?? '', pod),
    scheduledVerdict(starting),
    ...dataVolumeVerdicts(seen),
    synchronizedVerdict(seen.vmi, starting, problem),
    evictionVerdict(status),
    ...(status.phase === 'Running' ? changes({ ...draft, status }, pod, seen) : []),
  ]
  for (const verdict of verdicts) {
    if ('status' in verdict) status.conditions = [...setCondition(status.conditions, verdict, seen.now)]
    else if (verdict.remove) status.conditions = [...removeCondition(status.conditions, verdict.type)]
  }
}

/** Changes of the running guest that it gets by moving. */
function changes(vmi: VirtualMachineInstance, pod: Pod | undefined, { now }: Seen): (Verdict | Removal)[] {
  return [cpuChange(vmi), memoryChange(vmi), volumesChange(vmi), migrationRequired(vmi, pod, now)]
}

/** The node agent must reckon with the overhead as it was when the change began. */
function overheadRatio({ metadata, status }: Draft, { seen }: Facts): void {
  const ratio = seen.configuration.additionalGuestMemoryOverheadRatio
  const isChanging = status.conditions?.some((each) => each.type === 'HotMemoryChange' && each.status === 'True')
  if (ratio === undefined || isChanging !== true) return
  metadata.labels = { ...metadata.labels, [label.memoryHotplugOverheadRatio]: ratio }
}

/** Kubernetes writes times in whole seconds. */
function timestamp(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z')
}
