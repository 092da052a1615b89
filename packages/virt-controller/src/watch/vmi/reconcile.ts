import { annotation, label } from '@kubevirt-ts/api'
import { controllerOf, isControlledBy, keyFor } from '@kubevirt-ts/controller'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import type { PersistentVolumeClaim, Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service'
import { isFinal } from '@kubevirt-ts/vmispec'
import { stateClaimOf } from '../../services/template/index.ts'
import { attachmentsOf } from '../attachments/of-launcher.ts'
import { storageOf } from '../storage/caches.ts'
import type { Deps } from './deps.ts'
import { attach } from './attach.ts'
import { describe } from './describe.ts'
import { handOverProblem } from './hand-over-problem.ts'
import { podActions } from './launch.ts'
import { actOnPods, announce, mirrorToPod } from './pods.ts'
import type { Problem } from './reasons.ts'
import { passingMs } from './passing.ts'
import { launcherPod, startingPod } from './seen.ts'
import type { Seen } from './seen.ts'
import { vsockCids } from './vsock.ts'
import { writeVmi } from './write.ts'

/**
 * One pass over a VMI: look (caches only), decide over its pods and act, describe the VMI as it should be, write it.
 * Every pass starts from what is there, so a lost or repeated event does no harm.
 */
export async function reconcile(key: string, deps: Deps): Promise<ReconcileResult | void> {
  const vmi = deps.vmis.get(key)
  if (vmi === undefined) return forget(key, deps)
  const stale = deps.ownWrites.staleFor(vmi)
  if (stale > 0) return { requeueAfter: stale }

  const seen = gather(key, vmi, deps)
  const actions = podActions(seen)
  const own = (await actOnPods(actions, seen, deps)) ?? (await attach(seen, deps))
  // The new pod's event follows at once, and all that is to be written with it.
  if (actions.create && own === undefined) return
  const complaint = isFinal(vmi) ? {} : await deps.complaints.about(startingPod(seen))
  const refused = await mirrorToPod(seen, deps)
  const problem = own ?? withheld(seen, deps) ?? complaint.problem ?? refused
  const { vmi: described, cause, requeueAfter } = describe(seen, problem, vsockCids(deps.vmis))
  const passing = problem === undefined ? passingMs(vmi, described) : 0
  const patient = passing > 0 ? deps.patience.left(key, passing) : 0
  if (patient > 0) return { requeueAfter: patient }
  deps.patience.forget(key)
  await writeVmi(vmi, described, deps)
  if (cause !== undefined) deps.events.event(vmi, 'Warning', cause.reason, cause.message)
  if (problem?.retry) throw new VirtError(problem.reason, problem.message)
  const waits = [requeueAfter, complaint.requeueAfter].filter((wait) => wait !== undefined)
  if (waits.length > 0) return { requeueAfter: Math.min(...waits) }
}

function withheld(seen: Seen, deps: Deps): Problem | undefined {
  const problem = handOverProblem(seen)
  if (problem !== undefined) announce(problem, seen, deps)
  return problem
}

function forget(key: string, { expectations, patience }: Deps): void {
  expectations.forget(key)
  patience.forget(key)
}

function gather(key: string, vmi: VirtualMachineInstance, deps: Deps): Seen {
  const uid = vmi.metadata.uid ?? ''
  const all = deps.pods.byIndex('byVmiUid', uid).filter((pod) => isControlledBy(pod, vmi))
  const pods = all.filter((pod) => !isTemporary(pod))
  const created = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0
  const sorted = pods.toSorted((a, b) => created(a) - created(b))
  const podsSettled = deps.expectations.satisfied(key)
  const now = deps.now()
  for (const pod of sorted) deps.fates.observe(uid, pod)
  return {
    vmi,
    pods: sorted,
    temporaryPods: all.filter(isTemporary),
    podsSettled,
    ownerVmStays: ownerVmStays(vmi, deps),
    attachments: attachmentsOf(launcherPod({ vmi, pods: sorted }), deps.attachments),
    ...storageOf(vmi.metadata.namespace, deps),
    fate: sorted.length === 0 && podsSettled ? deps.fates.gone(uid, now) : undefined,
    stateClaim: () => stateClaimOf(vmi.metadata.name, stateClaims(vmi, deps)),
    storageClasses: () => deps.storageClasses.list(),
    configuration: deps.configuration(),
    lowestFrequency: deps.lowestFrequency,
    launcherImage: deps.launcherImage,
    now,
  }
}

function isTemporary({ metadata }: Pod): boolean {
  return metadata.annotations?.[annotation.ephemeralProvisioning] !== undefined
}

/** Those with the label, and the one of older releases that has the name alone. */
function stateClaims({ metadata }: VirtualMachineInstance, { claims }: Deps): PersistentVolumeClaim[] {
  const key = keyFor(metadata.namespace, metadata.name)
  const old = claims.get(keyFor(metadata.namespace, `${label.persistentStateFor}-${metadata.name}`))
  return [...claims.byIndex('byStateOf', key), ...(old === undefined ? [] : [old])]
}

function ownerVmStays(vmi: VirtualMachineInstance, { vms }: Deps): boolean {
  const owner = controllerOf(vmi)
  if (owner?.kind !== 'VirtualMachine') return false
  const vm = vms.get(keyFor(vmi.metadata.namespace, owner.name))
  return vm?.metadata.uid === owner.uid && vm.metadata.deletionTimestamp === undefined
}
