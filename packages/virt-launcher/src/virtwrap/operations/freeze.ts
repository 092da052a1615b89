import { VirtError } from '@kubevirt-ts/service'
import { agentCommand } from '../agent/command.ts'
import { readFreezeStatus } from '../agent/answers.ts'
import type { Launcher } from '../launcher.ts'

/** The guest has to write back what it holds before it freezes. */
const freezeSeconds = 50
const thawSeconds = 10
/** libvirt's and KubeVirt's own: nobody forgets a frozen guest for longer. */
const defaultThawSeconds = 300

/**
 * Freezes the guest's file systems through its agent. They thaw by themselves after the given seconds (0: five
 * minutes), should nobody come back. A frozen guest stays so and its time begins anew.
 */
export async function freeze(unfreezeTimeoutSeconds: number, launcher: Launcher): Promise<void> {
  const { state, log } = launcher
  mustBeConnected(launcher)
  if ((await freezeStatus(launcher)) !== 'frozen') {
    await agentCommand(launcher, { execute: 'guest-fsfreeze-freeze' }, freezeSeconds)
    note(launcher, 'frozen')
  }
  clearTimeout(state.thaw)
  const seconds = unfreezeTimeoutSeconds > 0 ? unfreezeTimeoutSeconds : defaultThawSeconds
  state.thaw = setTimeout(() => {
    log.warn({ seconds }, 'nobody thawed the guest in time, thawing it')
    launcher.changes
      .run(() => unfreeze(launcher))
      .catch((error: unknown) => log.error({ error }, 'the guest could not be thawed'))
  }, seconds * 1_000)
  state.thaw.unref()
}

/** Thaws what was frozen. Thawing a guest that is not frozen succeeds. */
export async function unfreeze(launcher: Launcher): Promise<void> {
  mustBeConnected(launcher)
  await agentCommand(launcher, { execute: 'guest-fsfreeze-thaw' }, thawSeconds)
  clearTimeout(launcher.state.thaw)
  note(launcher, 'thawed')
}

async function freezeStatus(launcher: Launcher): Promise<'frozen' | 'thawed'> {
  return readFreezeStatus(await agentCommand(launcher, { execute: 'guest-fsfreeze-status' }, thawSeconds))
}

function note({ state, onFacts }: Launcher, fsFreezeStatus: 'frozen' | 'thawed'): void {
  state.facts = { ...state.facts, fsFreezeStatus }
  onFacts()
}

function mustBeConnected({ state }: Launcher): void {
  if (state.facts.agentConnected !== true)
    throw new VirtError(
      'AgentNotConnected',
      'the guest agent is not connected: install and start qemu-guest-agent in the guest',
    )
}
