import { createHash } from 'node:crypto'
import { pods } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { keyFor, keyOf } from '@kubevirt-ts/controller'
import { ApiError, isAlreadyExists, isForbidden } from '@kubevirt-ts/kubecli'
import { migrationTarget } from '../../services/template/migration-target.ts'
import type { Deps } from './deps.ts'
import { hasBegun } from './has-begun.ts'
import { unmetDemands } from './host-model.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { isFinal, isOccupied } from './seen.ts'
import type { Seen } from './seen.ts'
import { backoffLeft, isTurnOf, lookAgainMs } from './turns.ts'
import type { Turns } from './turns.ts'
import {
  isBlockedByUtilityVolumes,
  utilityVolumesLeft,
  utilityVolumesOverdue,
  utilityVolumesPresent,
} from './utility-volumes.ts'

/** What came of the wish to begin. */
export interface Start {
  readonly problem?: Problem
  readonly requeueAfter?: number
}

/** Makes the target pod where it is the migration's turn, else says when to look again. Nothing is thrown. */
export async function start(seen: Seen, deps: Deps): Promise<Start> {
  const { migration, vmi, sourcePod, podSettled } = seen
  const isRunning = vmi?.status?.phase === 'Running' && sourcePod !== undefined
  if (!isRunning || !podSettled) return { requeueAfter: lookAgainMs(0) }
  if (isBlockedByUtilityVolumes(seen)) return tellBlocked(seen, deps)
  const turns = turnsWith(seen, deps)
  const backoff = backoffLeft(migration, turns)
  if (backoff > 0) {
    deps.events.event(vmi, 'Warning', reason.backoff, 'the next automatic migration waits, since earlier ones failed')
    return { requeueAfter: backoff }
  }
  if (isOccupied(seen) || !isTurnOf(migration, turns)) {
    const waiting = turns.all.filter((each) => !isFinal(each) && !turns.isActive(each)).length
    return { requeueAfter: lookAgainMs(waiting) }
  }
  try {
    await createTarget(migration, { vmi, sourcePod }, deps)
    return {}
  } catch (error) {
    return { problem: problemOf(error, migration, deps), requeueAfter: lookAgainMs(0) }
  }
}

/** Told once; the VMI's change wakes the migration when they are gone. */
function tellBlocked(seen: Seen, { events }: Deps): Start {
  const { migration } = seen
  const isTold = migration.status?.conditions?.some(({ reason: why }) => why === utilityVolumesPresent) ?? false
  if (!isTold) events.event(migration, 'Normal', reason.utilityVolumesPending, utilityVolumesOverdue(seen))
  const left = utilityVolumesLeft(seen)
  return left === undefined ? {} : { requeueAfter: left }
}

/** A migration that asks has no pod, whatever was asked for before: its pod may have gone again. */
function turnsWith({ migration, now }: Seen, deps: Deps): Turns {
  const { migrations, vmis, configuration } = deps
  const { parallelMigrationsPerCluster, parallelOutboundMigrationsPerNode } = configuration().migrations ?? {}
  return {
    all: migrations.list(),
    isActive: (each) => each.metadata.uid !== migration.metadata.uid && hasBegun(each, deps),
    sourceNodeOf: ({ metadata, spec }) => {
      const { nodeName, migrationState } = vmis.get(keyFor(metadata.namespace, spec.vmiName ?? ''))?.status ?? {}
      return migrationState?.migrationUid === metadata.uid ? (migrationState?.sourceNode ?? nodeName) : nodeName
    },
    perCluster: parallelMigrationsPerCluster ?? 5,
    perNode: parallelOutboundMigrationsPerNode ?? 2,
    now,
  }
}

async function createTarget(
  migration: VirtualMachineInstanceMigration,
  { vmi, sourcePod }: { readonly vmi: VirtualMachineInstance; readonly sourcePod: Pod },
  deps: Deps,
): Promise<void> {
  const { client, events, expectations, started, configuration } = deps
  const uid = migration.metadata.uid ?? ''
  const key = keyOf(migration)
  // Before anything is waited for: another worker must not take the same place in the meantime.
  started.add(uid)
  expectations.expectCreations(key, 1)
  let isAsked = false
  try {
    const { namespace, name } = sourcePod.metadata
    const target = migrationTarget({
      rendered: deps.render(vmi),
      migration,
      vmi,
      // The cache keeps pods without most of their spec.
      source: await client.get(pods, { namespace, name }),
      sourceNode: deps.nodes.get(vmi.status?.nodeName ?? ''),
      matchSelinuxLevel: configuration().migrations?.matchSELinuxLevelOnMigration !== false,
    })
    const metadata = { ...target.metadata, name: targetPodName(vmi, migration) }
    const pod = { apiVersion: 'v1', kind: 'Pod', ...target, metadata }
    isAsked = true
    const created = await client.create(pods, pod, { namespace: namespace ?? '' })
    events.event(migration, 'Normal', reason.successfulCreate, `Created migration target pod ${created.metadata.name}`)
    const unmet = unmetDemands(vmi, target.spec.nodeSelector ?? {}, deps.nodes.list())
    if (unmet !== undefined) events.event(vmi, 'Warning', reason.noSuitableNodes, noSuitableNodes(unmet))
  } catch (error) {
    expectations.creationObserved(key)
    if (isAlreadyExists(error)) return
    // Without a refusal the pod may have been made all the same: its place stays taken until that is known.
    if (!isAsked || isRefusal(error)) started.delete(uid)
    throw error
  }
}

const noSuitableNodes = (unmet: readonly string[]): string =>
  `no other node has the processor that the guest got from its first node (${unmet.join(', ')}): the migration waits for one`

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code < 500

/** One for each migration: whoever tries to make a second one is refused by the API server. */
function targetPodName({ metadata }: VirtualMachineInstance, migration: VirtualMachineInstanceMigration): string {
  const suffix = createHash('sha256')
    .update(migration.metadata.uid ?? '')
    .digest('hex')
    .slice(0, 5)
  return `virt-launcher-${metadata.name}-${suffix}`
}

function problemOf(error: unknown, migration: VirtualMachineInstanceMigration, { events }: Deps): Problem {
  const text = error instanceof Error ? error.message : String(error)
  const message = `migration target pod cannot be created: ${text}`
  events.event(migration, 'Warning', reason.failedCreate, message)
  return { reason: reason.failedCreate, message, isQuota: isForbidden(error) && text.includes('exceeded quota') }
}
