import { setTimeout as delay } from 'node:timers/promises'
import { errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
import type { Launcher } from '../launcher.ts'

const attempts = 20
const retryMs = 3_000

/**
 * Sets the clock of a guest that has stood still, through its agent: again and again for a minute, since the agent may
 * need a while to answer. Does not wait for it.
 * @param agentExpected the guest had an agent where it comes from; here it may not have been heard of yet
 */
export function syncGuestTime({ libvirt, state, log }: Launcher, { agentExpected = false } = {}): void {
  const work = async (): Promise<void> => {
    for (let attempt = 1; attempt <= attempts && (agentExpected || state.facts.agentConnected); attempt++) {
      try {
        await libvirt.askAgent(async (domain) => domain?.setTime(new Date()))
        return log.info("the guest's clock was set")
      } catch (error) {
        if (!isLibvirtError(error, errorCode.agentUnresponsive) || attempt === attempts)
          return log.warn({ error }, "the guest's clock was not set")
        await delay(retryMs)
      }
    }
  }
  void work()
}
