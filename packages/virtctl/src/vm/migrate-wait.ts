import { setTimeout as delay } from 'node:timers/promises'
import {
  label,
  migrationProgressOf,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { bearingSilence } from '../client/silence.ts'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext } from '../command.ts'
import { moveLine } from './migration-bar.ts'

const pollMs = 500

/** UIDs of the guest's migrations, so that the next one is known by being none of them. */
export async function migrationsOf(cluster: Cluster, name: string): Promise<ReadonlySet<string>> {
  return new Set((await list(cluster, name)).map(({ metadata }) => metadata.uid ?? ''))
}

export interface WaitOptions {
  /** Migrations from before. */
  readonly before: ReadonlySet<string>
  /** 0 waits for ever. */
  readonly timeoutMs: number
}

/**
 * Follows the guest's new migration to its end, with a bar on a terminal and one line for each change elsewhere.
 * Answers what came of it. A failure throws its reason; the migration goes on when this is interrupted or waits too long.
 */
export async function waitForMove(
  cluster: Cluster,
  name: string,
  { before, timeoutMs }: WaitOptions,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<string> {
  const screen = screenOf(terminal)
  const deadline = timeoutMs === 0 ? Infinity : Date.now() + timeoutMs
  const bear = bearingSilence((line) => {
    screen.end()
    terminal.stderr.write(`${line}\n`)
  })
  let uid: string | undefined
  let phase = 'Pending'
  for (;;) {
    const seen = await bear(async () => ({
      migration: await find(cluster, name, before, uid),
      vmi: await findVmi(cluster, name),
    }))
    if (seen !== undefined) {
      const { migration, vmi } = seen
      if (migration === undefined && uid !== undefined) throw ended(screen, `The migration of ${name} was cancelled.`)
      uid ??= migration?.metadata.uid
      phase = migration?.status?.phase ?? 'Pending'
      if (phase === 'Succeeded') {
        screen.end()
        return success(name, migration!, vmi)
      }
      if (phase === 'Failed') throw ended(screen, `The migration of ${name} failed: ${reasonOf(migration!, vmi)}`)
      screen.show({ phase, progress: migrationProgressOf(vmi?.metadata ?? {}, uid) })
    }
    if (signal.aborted) throw ended(screen, `The migration of ${name} ${goesOn(name)}`, 130)
    if (Date.now() >= deadline) {
      throw ended(screen, `The migration of ${name} is ${phase} after ${timeoutMs / 1000} s; it ${goesOn(name)}`)
    }
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

const goesOn = (name: string) => `goes on without being watched; virtctl migrate-cancel ${name} ends it.`

function ended(screen: Screen, message: string, exitCode = 1): CommandError {
  screen.end()
  return new CommandError(message, exitCode)
}

interface Screen {
  show(state: Parameters<typeof moveLine>[0]): void
  /** What follows begins on a line of its own. */
  end(): void
}

/** One line that changes on a terminal; elsewhere a line for each change. */
function screenOf({ stdout }: CommandContext['terminal']): Screen {
  const isTerminal = stdout.isTTY === true
  let shown = ''
  return {
    show(state) {
      const line = moveLine(state, { bar: isTerminal })
      if (line === shown) return
      shown = line
      stdout.write(isTerminal ? `\r\u001B[K${line}` : `${line}\n`)
    },
    end() {
      if (isTerminal && shown !== '') stdout.write('\n')
    },
  }
}

async function find(
  cluster: Cluster,
  name: string,
  before: ReadonlySet<string>,
  uid: string | undefined,
): Promise<VirtualMachineInstanceMigration | undefined> {
  const own = (await list(cluster, name)).filter(({ metadata }) =>
    uid === undefined ? !before.has(metadata.uid ?? '') : metadata.uid === uid,
  )
  return own.toSorted((a, b) => created(b).localeCompare(created(a)))[0]
}

const created = ({ metadata }: VirtualMachineInstanceMigration) => metadata.creationTimestamp ?? ''

async function list({ client, namespace }: Cluster, name: string): Promise<VirtualMachineInstanceMigration[]> {
  const labelSelector = `${label.vmiName}=${name}`
  return (await client.list(virtualMachineInstanceMigrations, { namespace, labelSelector })).items
}

async function findVmi({ client, namespace }: Cluster, name: string): Promise<VirtualMachineInstance | undefined> {
  try {
    return await client.get(virtualMachineInstances, { namespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The state that the agents left, where it is about this migration. */
function stateOf({ metadata, status }: VirtualMachineInstanceMigration, vmi: VirtualMachineInstance | undefined) {
  const state = vmi?.status?.migrationState
  return state?.migrationUid === metadata.uid ? state : status?.migrationState
}

function reasonOf(migration: VirtualMachineInstanceMigration, vmi: VirtualMachineInstance | undefined): string {
  return stateOf(migration, vmi)?.failureReason ?? 'no reason is told; kubectl describe vmim tells its events'
}

function success(
  name: string,
  migration: VirtualMachineInstanceMigration,
  vmi: VirtualMachineInstance | undefined,
): string {
  const { sourceNode, targetNode, startTimestamp, endTimestamp } = stateOf(migration, vmi) ?? {}
  const { downtimeMs } = migrationProgressOf(vmi?.metadata ?? {}, migration.metadata.uid) ?? {}
  const seconds = (Date.parse(endTimestamp ?? '') - Date.parse(startTimestamp ?? '')) / 1000
  return [
    `VM ${name} moved`,
    ...(sourceNode && targetNode ? [` from ${sourceNode} to ${targetNode}`] : []),
    ...(Number.isNaN(seconds) ? [] : [` in ${seconds} s`]),
    ...(downtimeMs === undefined ? [] : [`; the guest stood still for ${downtimeMs} ms at most`]),
  ].join('')
}
