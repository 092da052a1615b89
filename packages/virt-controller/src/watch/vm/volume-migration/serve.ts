import { virtualMachineInstances, vmiCondition, volumesChangeCancellation } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import type { JsonPatchOperation } from '@kubevirt-ts/controller'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../../lost-race.ts'
import type { Deps } from '../deps.ts'
import { isMigrating } from '../live-update/carry.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import { restartReason } from '../restart-required.ts'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { volumeUpdate } from './update.ts'
import type { VolumeUpdate } from './update.ts'

export interface Served {
  readonly problem?: Problem
  /** Why the change has to wait for the next start. */
  readonly restart?: string
}

/**
 * Lets a running guest's volumes move to the claims that its template names, where the VM says that they are to be
 * moved: the guest gets them when it moves. Nothing is thrown but lost races.
 */
export async function serveVolumeMigration(seen: Seen, deps: Deps): Promise<Served> {
  const { vm, vmi } = seen
  const volumes = vm.spec.template.spec?.volumes
  if (volumes === undefined || !isAlive(vmi) || vmi.status?.phase !== 'Running') return {}
  const isUnderWay = (vmi.status.migratedVolumes ?? []).length > 0
  if (!isUnderWay && !mayBegin(seen, deps)) return {}
  const update = volumeUpdate({ ...seen, vmi, volumes, isMoving: isMigrating(vmi) })
  if (update.kind === 'restart') return { restart: update.message }
  try {
    if (update.kind === 'refused') return { problem: told(update.message, seen, deps, false) }
    await write(update, vmi, deps)
    return {}
  } catch (error) {
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    return { problem: told(`volumes cannot be moved to other claims: ${text}`, seen, deps, !isInvalid(error)) }
  }
}

function mayBegin(seen: Seen, deps: Deps): boolean {
  const configuration = deps.configuration()
  if (seen.vm.spec.updateVolumesStrategy !== 'Migration' || seen.vm.metadata.deletionTimestamp !== undefined)
    return false
  return configuration.vmRolloutStrategy !== 'Stage' && restartReason(seen, configuration) === undefined
}

function told(message: string, { vm }: Seen, { events }: Deps, retry: boolean): Problem {
  const known = vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (known?.message !== message) events.event(vm, 'Warning', reason.volumesUpdate, message)
  return { reason: reason.volumesUpdate, message, retry }
}

const type = vmiCondition.volumesChange
const cancelled = {
  type,
  status: 'False',
  reason: volumesChangeCancellation,
  message: 'the volumes are to stay',
} as const

type VmiConditions = NonNullable<NonNullable<VirtualMachineInstance['status']>['conditions']>

/** Volumes, what is moved and what is told of it change together, and only on the guest that was looked at. */
async function write(update: VolumeUpdate, vmi: VirtualMachineInstance, { client, now }: Deps): Promise<void> {
  const changes = changesOf(update, vmi.status?.conditions ?? [], now())
  if (changes.length === 0) return
  const { namespace, name, resourceVersion } = vmi.metadata
  const patch = [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion } as const, ...changes]
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, patch, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function changesOf(update: VolumeUpdate, conditions: VmiConditions, now: Date): JsonPatchOperation[] {
  const set = (path: string, value: unknown): JsonPatchOperation => ({ op: 'add', path, value })
  switch (update.kind) {
    case 'move':
      return [
        set('/spec/volumes', update.volumes),
        set('/status/migratedVolumes', update.migrated),
        set('/status/conditions', removeCondition(conditions, type)),
      ]
    case 'cancel': {
      const after = setCondition(conditions, cancelled, now)
      return after === conditions ? [] : [set('/status/conditions', after)]
    }
    case 'revert':
      return [set('/spec/volumes', update.volumes), { op: 'remove', path: '/status/migratedVolumes' }]
    default:
      return []
  }
}
