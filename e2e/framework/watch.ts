import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { tools } from './tools.ts'

const limitMs = 180_000

type Change = { readonly type: string; readonly object: VirtualMachineInstance }

/** How an instance ended: the phases it went through, and the reason that its status gave at last. */
export type Ending = { readonly phases: readonly string[]; readonly reason: string | undefined }

/**
 * Follows a VMI from now until it is deleted, without a change missed: a watch is told every one.
 * With `uid`, until that very instance is gone.
 */
export function followUntilGone(namespace: string, name: string, uid?: string): Promise<Ending> {
  const following = follow(namespace, name, uid)
  // Whoever asked may have failed before it looks.
  following.catch(() => undefined)
  return following
}

async function follow(namespace: string, name: string, uid: string | undefined): Promise<Ending> {
  const phases: string[] = []
  for await (const { type, object } of changesOf(namespace, name)) {
    if (uid !== undefined && object.metadata?.uid !== uid) continue
    const phase = object.status?.phase ?? ''
    if (phases.at(-1) !== phase) phases.push(phase)
    if (type === 'DELETED') return { phases, reason: object.status?.reason }
  }
  throw new Error(`VMI ${namespace}/${name} was not gone within ${limitMs / 1000} s; its phases: ${phases.join(', ')}`)
}

/**
 * Begins a watch and waits until it tells of the VMI as it is; answers when it is told that the VMI is in this phase, in
 * milliseconds of `Date.now`.
 */
export async function watchForPhase(
  namespace: string,
  name: string,
  phase: string,
): Promise<{ readonly at: Promise<number> }> {
  const changes = changesOf(namespace, name)
  await changes.next()
  const at = timeOfPhase(changes, `VMI ${namespace}/${name} was not ${phase} within ${limitMs / 1000} s`, phase)
  at.catch(() => undefined)
  return { at }
}

async function timeOfPhase(changes: AsyncIterable<Change>, late: string, phase: string): Promise<number> {
  for await (const { object } of changes) if (object.status?.phase === phase) return Date.now()
  throw new Error(late)
}

/** The VMI as it is and every change of it, for as long as the limit allows. */
async function* changesOf(namespace: string, name: string): AsyncGenerator<Change> {
  const selected = ['--field-selector', `metadata.name=${name}`, '--watch', '--output-watch-events', '-o', 'json']
  const watch = spawn(tools().kubectl, ['get', 'vmi', '-n', namespace, ...selected])
  const timer = setTimeout(() => watch.kill(), limitMs)
  try {
    yield* objects<Change>(watch.stdout)
  } finally {
    clearTimeout(timer)
    watch.kill()
  }
}

/** With watch events kubectl prints each change as one line of JSON. */
async function* objects<T>(stream: NodeJS.ReadableStream): AsyncGenerator<T> {
  for await (const line of createInterface({ input: stream })) yield JSON.parse(line) as T
}
