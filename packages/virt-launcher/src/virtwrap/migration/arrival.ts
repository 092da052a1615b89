import { setTimeout as sleep } from 'node:timers/promises'
import type { Lifecycle } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'
import type { Launcher, LauncherState } from '../launcher.ts'

/**
 * How far the guest of a migration's target is, by libvirt's events, which keep their order. `expected`: nothing came.
 * `coming`: its QEMU is there and its memory arrives. `ran`: its processors ran here, be it for a moment. `gone`: what
 * came has ended before it ran.
 */
export type Arrival = 'expected' | 'coming' | 'ran' | 'gone'

/** Takes note of an event of the guest that is to come. */
export function noteArrival(state: LauncherState, event: Lifecycle): void {
  if (state.arrival === undefined || state.arrival === 'ran') return
  if (event === 'started') state.arrival = 'coming'
  if (event === 'resumed') state.arrival = 'ran'
  if (event === 'stopped') state.arrival = 'gone'
}

/** A guest came and ended before it ran, or none came at all. */
export const hasFailedToArrive = ({ arrival }: LauncherState): boolean => arrival !== undefined && arrival !== 'ran'

const lookMs = 50
const patienceMs = 5_000

/**
 * Makes sure that the guest never runs here, for a source that does not know whether it does. Resolves when that is
 * certain; throws `GuestHasRun` where it is too late. The connection by which it comes must be closed.
 */
export async function refuseArrival({ libvirt, state, log }: Launcher): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (state.arrival === 'coming') {
    const late = Date.now() > deadline
    const isThere = await libvirt.change(async (domain) => {
      if (domain === undefined) return false
      // libvirt ends it by itself when the connection is closed; a destruction could meet its start.
      if (late && (await domain.state()).state === 'paused') await domain.destroy()
      return true
    })
    if (!isThere && late) throw new VirtError('GuestNotKnown', 'libvirt did not tell how the guest that came has ended')
    await sleep(lookMs)
  }
  if (state.arrival === 'ran') throw new VirtError('GuestHasRun', 'the guest has run here')
  log.info('the guest did not come and will not run here')
}
