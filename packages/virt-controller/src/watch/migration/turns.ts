import { annotation } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { isFinal } from './seen.ts'

/** What decides whether a migration may begin. */
export interface Turns {
  readonly all: readonly VirtualMachineInstanceMigration[]
  /** Whether a migration has a target pod already. */
  readonly isActive: (migration: VirtualMachineInstanceMigration) => boolean
  /** Node on which the guest of a migration runs. */
  readonly sourceNodeOf: (migration: VirtualMachineInstanceMigration) => string | undefined
  readonly perCluster: number
  readonly perNode: number
  readonly now: Date
}

const priorities: Readonly<Record<string, number>> = {
  'system-critical': 100,
  'user-triggered': 50,
  'system-maintenance': 20,
}

/**
 * Whether it is the migration's turn: it is among those that go first of all that wait, and neither the cluster nor the
 * node that the guest leaves has as many under way as it may.
 */
export function isTurnOf(migration: VirtualMachineInstanceMigration, turns: Turns): boolean {
  const unfinished = turns.all.filter((each) => !isFinal(each))
  const active = unfinished.filter(turns.isActive)
  const outbound = new Map<string, number>()
  const count = (each: VirtualMachineInstanceMigration): void => {
    const node = turns.sourceNodeOf(each) ?? ''
    outbound.set(node, (outbound.get(node) ?? 0) + 1)
  }
  active.forEach(count)
  let free = turns.perCluster - active.length
  for (const each of waitingInOrder(unfinished, turns)) {
    if (free <= 0) return false
    if ((outbound.get(turns.sourceNodeOf(each) ?? '') ?? 0) >= turns.perNode) continue
    if (each.metadata.uid === migration.metadata.uid) return true
    count(each)
    free -= 1
  }
  return false
}

function waitingInOrder(
  unfinished: readonly VirtualMachineInstanceMigration[],
  turns: Turns,
): VirtualMachineInstanceMigration[] {
  return unfinished
    .filter((each) => !turns.isActive(each) && each.metadata.deletionTimestamp === undefined)
    .filter((each) => backoffLeft(each, turns) === 0)
    .toSorted((a, b) => priorityOf(b) - priorityOf(a) || created(a) - created(b))
}

function priorityOf({ spec }: VirtualMachineInstanceMigration): number {
  return priorities[spec.priority ?? ''] ?? 0
}

const firstBackoffMs = 20_000

/**
 * Milliseconds that an automatic migration still waits because earlier ones of the guest failed: 20 s after the first
 * failure since a success, doubled with each further one. Users' own migrations never wait.
 */
export function backoffLeft(
  migration: VirtualMachineInstanceMigration,
  { all, now }: Pick<Turns, 'all' | 'now'>,
): number {
  if (!isAutomatic(migration)) return 0
  const earlier = all
    .filter((each) => isFinal(each) && each.spec.vmiName === migration.spec.vmiName)
    .filter((each) => each.metadata.namespace === migration.metadata.namespace)
    .toSorted((a, b) => ended(b) - ended(a))
  const success = earlier.findIndex(({ status }) => status?.phase === 'Succeeded')
  const failures = success < 0 ? earlier : earlier.slice(0, success)
  const [last] = failures
  if (last === undefined) return 0
  const delay = firstBackoffMs * 2 ** (failures.length - 1)
  return Math.max(0, ended(last) + delay - now.getTime())
}

function isAutomatic({ metadata }: VirtualMachineInstanceMigration): boolean {
  const annotations = metadata.annotations ?? {}
  return annotation.evacuationMigration in annotations || annotation.workloadUpdateMigration in annotations
}

/** How soon a migration that waits looks again: the more wait, the sooner one of them has its turn. */
export function lookAgainMs(waiting: number): number {
  if (waiting >= 100) return 1000
  return waiting >= 50 ? 3000 : 5000
}

function created({ metadata }: VirtualMachineInstanceMigration): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}

function ended(migration: VirtualMachineInstanceMigration): number {
  const { phase, phaseTransitionTimestamps = [] } = migration.status ?? {}
  const stamp = phaseTransitionTimestamps.find((each) => each.phase === phase)?.phaseTransitionTimestamp
  return Date.parse(stamp ?? '') || created(migration)
}
