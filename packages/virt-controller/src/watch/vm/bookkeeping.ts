import { keyOf } from '@kubevirt-ts/controller'
import { isInvalid } from '@kubevirt-ts/kubecli'
import { isLostRace } from '../lost-race.ts'
import { adoptVmi } from './adopt-vmi.ts'
import type { Deps } from './deps.ts'
import { adopt } from './finalizers.ts'
import { writeOut } from './instancetype/write-out.ts'
import { forgetUnplugged } from './live-update/tidy.ts'
import { noteGeneration } from './note-generation.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import type { Seen } from './seen.ts'
import type { Outcome } from './status/index.ts'

type WriteStep = (seen: Seen, deps: Deps) => Promise<boolean | void>

/** What has to be right of the VM itself before anything is done for it; each write's event begins the next pass. */
const beginning: readonly (readonly [why: string, step: WriteStep])[] = [
  [reason.firmwareUuid, adopt],
  [reason.failedUpdate, adoptVmi],
  [reason.failedUpdate, writeOut],
]

/** `written` where the next pass goes on; the problem where one of the writes is refused: nothing may be started then. */
export async function begin(seen: Seen, deps: Deps): Promise<'written' | Problem | undefined> {
  for (const [why, step] of beginning) {
    const { done, problem } = await attempt(why, step, seen, deps)
    if (problem !== undefined) return problem
    if (done === true) return 'written'
  }
  return undefined
}

/** What is noted once all else was seen to; a problem before goes first. */
export async function afterwards(outcome: Outcome, seen: Seen, deps: Deps): Promise<Outcome> {
  let next = outcome
  for (const step of [noteGeneration, forgetUnplugged]) {
    const { problem } = await attempt(reason.failedUpdate, step, seen, deps)
    if (problem !== undefined && next.problem === undefined) next = { ...next, problem }
  }
  return next
}

/** A write that is refused is told in the status, as all else that keeps a VM from what it should be. */
async function attempt(
  why: string,
  step: WriteStep,
  seen: Seen,
  deps: Deps,
): Promise<{ readonly done?: boolean | void; readonly problem?: Problem }> {
  try {
    return { done: await step(seen, deps) }
  } catch (error) {
    if (isLostRace(error)) throw error
    const text = error instanceof Error ? error.message : String(error)
    const message = `VirtualMachine ${keyOf(seen.vm)} cannot be written: ${text}`
    const known = seen.vm.status?.conditions?.find(({ type }) => type === 'Failure')
    if (known?.message !== message) deps.events.event(seen.vm, 'Warning', why, message)
    return { problem: { reason: why, message, retry: !isInvalid(error) } }
  }
}
