import koffi from 'koffi'
import { library } from './library.ts'
import { offThread } from './off-thread.ts'

/**
 * libvirt's own event loop, which must turn as long as there is a connection. It takes one thread of libuv's pool and
 * sleeps in poll(2) until something happens; nothing is polled by time.
 *
 * Node joins the pool's threads when it exits, and one that waits in libvirt would never come back. So every
 * connection must be closed before `process.exit`: the last one stops the loop.
 */
let registered = false
let users = 0
let turning: Promise<void> | undefined
let wakeTimer = -1

/** Must come before the first connection is opened. */
export function startEventLoop(): void {
  users += 1
  if (!registered) register()
  turning ??= turn()
}

/** Resolves when the loop's thread is free again, if this was its last user. */
export async function releaseEventLoop(): Promise<void> {
  users -= 1
  if (users > 0) return
  library().eventUpdateTimeout(wakeTimer, 0)
  await turning
}

function register(): void {
  registered = true
  const { eventRegisterDefaultImpl, eventAddTimeout, eventUpdateTimeout, prototypes } = library()
  eventRegisterDefaultImpl()
  const asleep = -1
  const onWake = koffi.register((timer: number) => void eventUpdateTimeout(timer, asleep), prototypes.timeout)
  wakeTimer = eventAddTimeout(asleep, onWake, null, null)
}

async function turn(): Promise<void> {
  while (users > 0) await offThread(library().eventRunDefaultImpl)
  turning = undefined
  // Somebody connected while the last turn ended.
  if (users > 0) turning = turn()
}
