import { StatusError } from '../status-error.ts'
import type { Check } from './pass-through.ts'
import { conflict, vmiKind } from './subjects.ts'
import { hasCondition } from './vm-state.ts'

/** A condition on a guest, and the words of the refusal when it is not met. */
const refuseIf =
  (test: (vmi: Parameters<Check>[0]) => boolean, message: string): Check =>
  (vmi) => {
    if (test(vmi)) throw conflict(vmiKind, vmi.metadata.name, message)
  }

const notRunning = (vmi: Parameters<Check>[0]) => vmi.status?.phase !== 'Running'
const paused = (vmi: Parameters<Check>[0]) => hasCondition(vmi, 'Paused')

const all =
  (...checks: readonly Check[]): Check =>
  (vmi) =>
    checks.forEach((check) => check(vmi))

/** A probe that asks the guest would fail while the guest is paused, and the guest be killed for it. */
const noOutsideLiveness: Check = (vmi) => {
  const probe = vmi.spec.livenessProbe
  if (!probe || probe.guestAgentPing) return
  const message = 'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported'
  throw new StatusError(403, `virtualmachineinstance.kubevirt.io "${vmi.metadata.name}" is forbidden: ${message}`, {
    kind: vmiKind,
    name: vmi.metadata.name,
  })
}

export const canPause = all(
  refuseIf(notRunning, 'VM is not running'),
  noOutsideLiveness,
  refuseIf(paused, 'VMI is already paused'),
)

export const canUnpause = all(
  refuseIf(notRunning, 'VMI is not running'),
  refuseIf((vmi) => !paused(vmi), 'VMI is not paused'),
)

export const canFreeze = refuseIf(notRunning, 'VMI is not running')

export const canSoftReboot = all(
  refuseIf(notRunning, 'VMI is not running'),
  refuseIf(paused, 'VMI is paused'),
  refuseIf(
    (vmi) => !hasCondition(vmi, 'AgentConnected') && vmi.spec.domain.features?.acpi?.enabled === false,
    'VMI neither have the agent connected nor the ACPI feature enabled',
  ),
)

export const hasAgent = all(
  refuseIf(notRunning, 'VMI is not running'),
  refuseIf((vmi) => !hasCondition(vmi, 'AgentConnected'), 'VMI does not have guest agent connected'),
)

export const always: Check = () => undefined

/** A backup needs to know what changed since the last. */
export const canBackup = all(
  refuseIf(notRunning, 'VMI is not running'),
  refuseIf(
    (vmi) => vmi.status?.changedBlockTracking?.state !== 'Enabled',
    'ChangedBlockTracking is not enabled for this VMI; label the VM so that the KubeVirt resource selects it, and restart it',
  ),
)
