import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { blocking, notice, when } from './fact.ts'
import type { Fact, Link } from './fact.ts'
import { conditionOf, kubectl, sinceOf, virtctl } from './seen.ts'
import type { Seen } from './seen.ts'

type Look = (vmi: VirtualMachineInstance, seen: Seen) => Fact[]

/** Why a guest's CPUs stand still, by the reason of the condition. */
const pauses: Readonly<Record<string, (seen: Seen) => { readonly what: string; readonly fix: string }>> = {
  PausedByUser: (seen) => ({ what: 'somebody paused it', fix: virtctl(seen, `unpause vmi ${seen.name}`) }),
  PausedIOError: (seen) => ({
    what: 'a disk could not be written: its storage is full or failed; it goes on when that is cured',
    fix: kubectl(seen, 'get pvc'),
  }),
  PausedByMigrationMonitor: (seen) => ({
    what: 'its migration paused it to come to an end',
    fix: virtctl(seen, `migrate-cancel ${seen.name}`),
  }),
}

const paused: Look = (vmi, seen) => {
  const condition = conditionOf(vmi, 'Paused')
  if (condition?.status !== 'True') return []
  const known = pauses[condition.reason ?? '']?.(seen)
  const { what, fix } = known ?? {
    what: condition.message ?? 'it is paused',
    fix: virtctl(seen, `unpause vmi ${seen.name}`),
  }
  return [blocking(condition.reason ?? 'Paused', what, { ...sinceOf(condition), fix })]
}

const agent: Look = (vmi) => {
  const condition = conditionOf(vmi, 'AgentConnected')
  return when(vmi.status?.phase === 'Running' && condition?.status !== 'True', () =>
    notice(
      'NoAgent',
      'no guest agent answers: install qemu-guest-agent in the guest for addresses, users and freezing',
    ),
  )
}

const readOnlyVersion: Look = (vmi) => {
  const condition = conditionOf(vmi, 'AgentVersionNotSupported')
  return when(condition?.status === 'True', () =>
    notice(
      'AgentVersionNotSupported',
      condition!.message ?? 'the guest agent is of a version that is not supported',
      sinceOf(condition),
    ),
  )
}

const emulated: Look = (vmi) => {
  const condition = conditionOf(vmi, 'SoftwareEmulation')
  return when(condition?.status === 'True', () =>
    notice('SoftwareEmulation', condition!.message ?? 'it is emulated, which is slow', sinceOf(condition)),
  )
}

const looks: readonly Look[] = [paused, agent, readOnlyVersion, emulated]

/** The guest as libvirt has it, as far as the instance's status tells. */
export function domainLink(seen: Seen): Link[] {
  const { vmi } = seen
  if (vmi?.status?.phase !== 'Running') return []
  const isPaused = conditionOf(vmi, 'Paused')?.status === 'True'
  const { name } = vmi.metadata
  const since = vmi.status.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp
  return [
    {
      kind: 'Domain',
      name: `${seen.namespace}_${name}`,
      state: isPaused ? 'Paused' : 'Running',
      ...(since && { since }),
      facts: looks.flatMap((look) => look(vmi, seen)),
    },
  ]
}
