import { LibvirtError } from './error.ts'
import type { MoveGuide } from './types.ts'

/**
 * One side's turn of libvirt's five steps (begin, prepare, perform, finish, confirm; its migration protocol 3). Each
 * hands the next a cookie, which only libvirt reads.
 */
export type MoveSteps = {
  begin(): Promise<void>
  /** The destination makes ready. */
  prepare(): Promise<void>
  /** Copies the guest. Resolves when it stands still here and all of it is there, or runs there by post-copy. */
  perform(): Promise<void>
  /** The destination lets the guest run, or with `cancelled` forgets it. */
  finish(cancelled: boolean): Promise<void>
  /** What this side does with its copy: end it, or with `cancelled` let it go on. */
  confirm(cancelled: boolean): Promise<void>
  /** Whether the destination can still be asked. */
  isConnected(): Promise<boolean>
}

/** Where a guest is, once that is known again. */
export type Whereabouts = 'here' | 'there'

/**
 * Leads a guest through a move. Resolves when it runs at its destination, rejects when it goes on here.
 *
 * The one moment that counts is `finish`: from when the destination is told to let the guest run until its answer is
 * heard nobody here knows whether it does. libvirt's own ways (peer to peer, or managed by its client library) take a
 * lost answer for a no and let the guest go on here: two of it run. Here such a guest stands still until `whereIsIt` knows.
 */
export async function carryThrough(steps: MoveSteps, { whereIsIt, cancelled }: MoveGuide): Promise<void> {
  await steps.begin()
  try {
    cancelled?.throwIfAborted()
    await steps.prepare()
  } catch (error) {
    await giveBack(steps)
    throw error
  }
  if (cancelled?.aborted === true) {
    await steps.finish(true).catch(() => undefined)
    await giveBack(steps)
    throw cancelled.reason
  }
  try {
    await steps.perform()
  } catch (error) {
    // libvirt has let the guest go on here. A destination that does not hear of it forgets the guest with the connection.
    await steps.finish(true).catch(() => undefined)
    throw error
  }
  const lost = await finish(steps, whereIsIt)
  if (lost === undefined) {
    // It runs there, whatever becomes of what is left here: that does not run again without a confirmation.
    await steps.confirm(false).catch(() => undefined)
    return
  }
  await giveBack(steps)
  throw lost
}

/** Undefined where the guest runs at the destination, else why it does not. */
async function finish(steps: MoveSteps, whereIsIt: MoveGuide['whereIsIt']): Promise<unknown> {
  // Not told, so it does not run there: only the connection that it came by could have told it.
  if (!(await steps.isConnected())) return new LibvirtError('finish', connectionLost)
  try {
    await steps.finish(false)
    return undefined
  } catch (error) {
    // The destination itself says no: it has ended its copy before that ran.
    if (await steps.isConnected()) return error
    return (await whereIsIt()) === 'there' ? undefined : error
  }
}

const connectionLost = {
  code: 38,
  domain: 7,
  message: 'the connection to the destination broke before the guest was switched over',
}

/** Lets the guest go on here; where that fails it stands still, which is told beside the reason of the move's end. */
async function giveBack(steps: MoveSteps): Promise<void> {
  await steps.confirm(true).catch(() => undefined)
}
