import { controllerRevisions, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { keyOf } from '@kubevirt-ts/controller'
import { isAlreadyExists, isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from './deps.ts'
import { isStartRevision, startRevision, startRevisionName } from './revisions.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { decide } from './run-strategy/index.ts'
import type { Decision } from './run-strategy/index.ts'
import { resolve } from './instancetype/resolve.ts'
import type { Resolved } from './instancetype/resolve.ts'
import { ensureDataVolumes } from './data-volumes/ensure.ts'
import { importProblem, mayStart as haveDataVolumes } from './data-volumes/state.ts'
import { startRequested } from './seen.ts'
import type { RunStrategy, Seen } from './seen.ts'
import { startAllowedIn } from './start-failure.ts'
import type { Outcome } from './status/index.ts'
import { vmiFromVm } from './vmi-from-vm.ts'

const leave: Decision = { vmi: 'leave' }

/**
 * Does what the run strategy wants, as far as nothing forbids it, and tells what came of it. Nothing is thrown.
 * @param refused a problem of the VM itself, with which a guest can only be stopped
 */
export async function act(seen: Seen, deps: Deps, refused?: Problem): Promise<Outcome> {
  const decision = wanted(seen)
  const { problem: unfound, references, machine } = await resolve(seen, decision.vmi === 'start', deps)
  const unresolved = refused ?? unfound
  const done = {
    decision,
    created: false,
    deleted: false,
    ...(references === undefined ? {} : { references }),
    ...(unresolved === undefined ? {} : { problem: unresolved }),
  }
  const unmade = await ensureDataVolumes(seen, decision.vmi === 'start', deps)
  const obstacle = decision.vmi === 'start' ? (startObstacle(seen) ?? unresolved ?? unmade) : (refused ?? unmade)
  if (obstacle !== undefined && decision.vmi !== 'stop') return { ...done, problem: obstacle }
  if (decision.vmi === 'start' && !haveDataVolumes(seen)) return { ...done, ...unfilled(seen, deps) }
  try {
    if (decision.flipTo !== undefined) await flip(seen, decision.flipTo, deps)
    if (decision.vmi === 'start' && mayStart(seen)) return { ...done, created: await start(seen, machine, deps) }
    if (decision.vmi === 'stop' && seen.vmi !== undefined) return { ...done, deleted: await stop(seen.vmi, seen, deps) }
    return done
  } catch (error) {
    return { ...done, problem: problemOf(error, decision, seen, deps) }
  }
}

/** A deleted VM stops, whatever its strategy says. */
function wanted(seen: Seen): Decision {
  const { vm, vmi } = seen
  if (vm.metadata.deletionTimestamp === undefined) return decide(seen)
  const orphaning = vm.metadata.finalizers?.includes('orphan') ?? false
  return vmi === undefined || orphaning ? leave : { vmi: 'stop' }
}

const mayStart = (seen: Seen): boolean => seen.settled && startAllowedIn(seen) === 0

/** Why the VM cannot start until somebody changes something. */
function startObstacle({ vm, foreignVmi }: Seen): Problem | undefined {
  const name = `${vm.metadata.namespace}/${vm.metadata.name}`
  if (foreignVmi) {
    const message = `a VirtualMachineInstance ${name} exists that this VirtualMachine does not own; delete it first`
    return { reason: reason.nameTaken, message, retry: false }
  }
  const broken = vm.status?.conditions?.find(
    ({ type, status }) => type === 'ManualRecoveryRequired' && status === 'True',
  )
  return broken === undefined
    ? undefined
    : { reason: 'ManualRecoveryRequired', message: broken.message ?? '', retry: false }
}

/** That DataVolumes are still being filled is no problem, that one cannot be is. */
function unfilled(seen: Seen, { events }: Deps): { readonly problem?: Problem } {
  const message = importProblem(seen)
  if (message === undefined) return {}
  const problem = { reason: reason.dataVolumeImport, message, retry: false }
  const known = seen.vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (known?.message !== message) events.event(seen.vm, 'Warning', problem.reason, message)
  return { problem }
}

async function start(seen: Seen, machine: Resolved['machine'], deps: Deps): Promise<boolean> {
  const { vm } = seen
  const key = keyOf(vm)
  await keepRevision(seen, deps)
  const options = {
    revision: startRevisionName(vm),
    paused: startRequested(seen)?.data?.paused === 'true',
    configuration: deps.configuration(),
  }
  deps.expectations.expectCreations(key, 1)
  try {
    const vmi = await deps.client.create(virtualMachineInstances, vmiFromVm(machine ?? vm, options))
    const text = `Started the virtual machine by creating the new virtual machine instance ${vmi.metadata.name}`
    deps.events.event(vm, 'Normal', reason.successfulCreate, text)
    return true
  } catch (error) {
    deps.expectations.creationObserved(key)
    throw error
  }
}

/** One revision per start is enough: older ones go, except the one that a VMI still refers to. */
async function keepRevision({ vm }: Seen, { client, revisions }: Deps): Promise<void> {
  const wantedName = startRevisionName(vm)
  const existing = revisions.byIndex('byVmUid', vm.metadata.uid ?? '').filter(isStartRevision)
  for (const { metadata } of existing) {
    if (metadata.name === wantedName) continue
    const reference = { namespace: metadata.namespace, name: metadata.name ?? '' }
    await client.delete(controllerRevisions, reference).catch(ignore(isNotFound))
  }
  if (existing.some(({ metadata }) => metadata.name === wantedName)) return
  await client.create(controllerRevisions, startRevision(vm)).catch(ignore(isAlreadyExists))
}

async function stop(
  vmi: VirtualMachineInstance,
  { vm }: Seen,
  { client, events, expectations }: Deps,
): Promise<boolean> {
  const { namespace, name, uid } = vmi.metadata
  if (vmi.metadata.deletionTimestamp !== undefined || !expectations.satisfied(keyOf(vm))) return true
  expectations.expectDeletions(keyOf(vm), [uid ?? ''])
  try {
    await client.delete(virtualMachineInstances, { namespace, name: name ?? '' }, { preconditions: { uid } })
    const text = `Stopped the virtual machine by deleting the virtual machine instance ${uid}`
    events.event(vm, 'Normal', reason.successfulDelete, text)
  } catch (error) {
    expectations.deletionObserved(keyOf(vm), uid ?? '')
    if (!isNotFound(error)) throw error
  }
  return true
}

async function flip({ vm }: Seen, to: RunStrategy, { client }: Deps): Promise<void> {
  const patch =
    vm.spec.runStrategy === undefined
      ? [{ op: 'replace', path: '/spec/running', value: to === 'Always' }]
      : [
          { op: 'test', path: '/spec/runStrategy', value: vm.spec.runStrategy },
          { op: 'replace', path: '/spec/runStrategy', value: to },
        ]
  await client.patch(virtualMachines, { namespace: vm.metadata.namespace, name: vm.metadata.name ?? '' }, patch, {
    type: 'json',
  })
}

function problemOf(error: unknown, { vmi }: Decision, seen: Seen, { events }: Deps): Problem {
  const text = error instanceof Error ? error.message : String(error)
  const [why, what] =
    vmi === 'stop'
      ? [reason.failedDelete, 'deleting its virtual machine instance failed']
      : vmi === 'start'
        ? [reason.failedCreate, 'creating its virtual machine instance failed']
        : [reason.failedUpdate, 'changing its run strategy failed']
  const problem = { reason: why, message: `${what}: ${text}`, retry: !isInvalid(error) }
  const known = seen.vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (known?.message !== problem.message) events.event(seen.vm, 'Warning', problem.reason, problem.message)
  return problem
}

function ignore(expected: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!expected(error)) throw error
  }
}
