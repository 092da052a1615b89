import { virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { diffPatch } from '@kubevirt-ts/controller'
import { expand, find } from '@kubevirt-ts/instancetype'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../../lost-race.ts'
import { isSameJson } from '../../same.ts'
import type { Deps } from '../deps.ts'
import { lookupWith } from '../instancetype/lookup.ts'
import { namesOf } from '../instancetype/names.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import { fixedField, restartReason } from '../restart-required.ts'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { liveUpdate } from './index.ts'
import type { LiveUpdate } from './index.ts'
import { isRenamed, keepsGuest } from './instancetype.ts'

export interface Carried {
  readonly problem?: Problem
  /** Why something of the template has to wait for the next start. */
  readonly restart?: string
}

/** Writes on a running guest what it takes over from its template. Nothing is thrown but lost races. */
export async function carryTemplate(seen: Seen, deps: Deps): Promise<Carried> {
  const { vm, vmi } = seen
  if (!isAlive(vmi) || vm.metadata.deletionTimestamp !== undefined || isMigrating(vmi)) return {}
  try {
    const update = await updateOf(seen, vmi, deps)
    if (update === undefined) return {}
    await write(vmi, update.spec, deps)
    if (update.restart === undefined && isRenamed(seen)) await writeNames(vmi, vm, deps)
    return update.restart === undefined ? {} : { restart: update.restart }
  } catch (error) {
    if (isLostRace(error)) throw error
    return { problem: problemOf(error, seen, deps) }
  }
}

/** While the nodes move the guest its spec must stay: its end is an event that begins the next pass. */
export function isMigrating({ status }: VirtualMachineInstance): boolean {
  const state = status?.migrationState
  return state !== undefined && state.completed !== true && state.failed !== true
}

/** What instance type and preference give is only looked up where the template alone would change something. */
async function updateOf(seen: Seen, vmi: VirtualMachineInstance, deps: Deps): Promise<LiveUpdate | undefined> {
  const { vm } = seen
  const template = vm.spec.template.spec
  if (template === undefined) return undefined
  const configuration = deps.configuration()
  const isLive = configuration.vmRolloutStrategy !== 'Stage' && restartReason(seen, configuration) === undefined
  const update = liveUpdate({ vmi, template, configuration }, isLive)
  const isNamed = vm.spec.instancetype !== undefined || vm.spec.preference !== undefined
  const isAsBefore = update.restart === undefined && changedPaths(vmi.spec, update.spec).length === 0
  if (!isNamed || (isAsBefore && !isRenamed(seen))) return update
  const found = await find(vm, lookupWith(deps))
  const expanded = found.missing === undefined ? expand(vm, found) : undefined
  const whole = expanded?.conflicts === undefined ? expanded?.vm.spec.template.spec : undefined
  if (whole === undefined) return undefined
  if (isRenamed(seen) && !keepsGuest(whole, vmi, configuration)) return { spec: vmi.spec, restart: fixedField }
  return liveUpdate({ vmi, template: whole, configuration }, isLive)
}

/** Where a running guest's spec may change, and the reason to tell when such a change is refused. */
const places: readonly (readonly [path: string, reason: string])[] = [
  ['/domain/cpu', reason.hotplugCpu],
  ['/domain/memory', reason.hotplugMemory],
  ['/domain/resources', reason.hotplugMemory],
  ['/nodeSelector', reason.affinityChange],
  ['/affinity', reason.affinityChange],
  ['/tolerations', reason.tolerationsChange],
  ['/volumes', reason.hotplugVolume],
  ['/domain/devices/disks', reason.hotplugVolume],
  ['/networks', reason.failedUpdate],
  ['/domain/devices/interfaces', reason.failedUpdate],
]

function changedPaths(before: VirtualMachineInstanceSpec, after: VirtualMachineInstanceSpec): string[] {
  return places.flatMap(([path]) => (isSameJson(listed(before, path), listed(after, path)) ? [] : [path]))
}

/** A list that is not there says the same as an empty one. */
function listed(spec: VirtualMachineInstanceSpec, path: string): unknown {
  const value = path
    .split('/')
    .slice(1)
    .reduce<unknown>((each, part) => (each as Record<string, unknown> | undefined)?.[part], spec)
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

async function write(vmi: VirtualMachineInstance, spec: VirtualMachineInstanceSpec, { client }: Deps): Promise<void> {
  const paths = changedPaths(vmi.spec, spec)
  if (paths.length === 0) return
  const patch = diffPatch(vmi.spec, spec, paths).map((each) => ({ ...each, path: `/spec${each.path}` }))
  const { namespace, name } = vmi.metadata
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, patch, { type: 'json' })
  } catch (error) {
    if (isNotFound(error)) return
    const [, why] = places.find(([path]) => paths.includes(path)) ?? []
    throw isLostRace(error) ? error : new RefusedUpdate(why ?? reason.failedUpdate, paths, error)
  }
}

/** The guest tells which instance type it is like now. */
async function writeNames(vmi: VirtualMachineInstance, vm: VirtualMachine, { client }: Deps): Promise<void> {
  const annotations = namesOf(vm)
  const before = vmi.metadata.annotations ?? {}
  if (Object.entries(annotations).every(([key, value]) => before[key] === value)) return
  const { namespace, name } = vmi.metadata
  await client.patch(virtualMachineInstances, { namespace, name }, { metadata: { annotations } }, { type: 'merge' })
}

class RefusedUpdate extends Error {
  readonly reason: string

  constructor(why: string, paths: readonly string[], cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause)
    super(`the running guest cannot take over spec${paths.join(', spec').replaceAll('/', '.')}: ${text}`, { cause })
    this.reason = why
  }
}

function problemOf(error: unknown, { vm }: Seen, { events }: Deps): Problem {
  const message = error instanceof Error ? error.message : String(error)
  const why = error instanceof RefusedUpdate ? error.reason : reason.failedUpdate
  const known = vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (known?.message !== message) events.event(vm, 'Warning', why, message)
  return { reason: why, message, retry: !isInvalid((error as Error).cause) }
}
