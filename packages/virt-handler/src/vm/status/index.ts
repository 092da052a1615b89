import {
  compareQuantity,
  formatQuantity,
  type VirtualMachineInstance,
  type VirtualMachineInstanceStatus,
} from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'
import { isFinal } from '@kubevirt-ts/vmispec'
import type { CardRecord } from '../../host/network/phase1.ts'
import type { Verdict } from '../phase.ts'
import { conditionsOf } from './conditions.ts'
import { interfaceStatuses, withoutAddresses } from './interfaces.ts'
import { migrationMethod } from './migratable.ts'
import { type VolumeFacts, volumeStatuses } from './volumes.ts'

/** What this node knows of a guest, ready to be put on any version of its VMI. */
export interface Report {
  readonly verdict: Verdict
  readonly domain?: Domain | undefined
  /** The pod's link of each card as it was before the guest hid behind it. */
  readonly cards?: Readonly<Record<string, CardRecord>> | undefined
  /** Why the guest could not be brought to what the VMI says. */
  readonly failure?: string | undefined
  /** Of the guest's launcher, where the node has SELinux. */
  readonly selinuxContext?: string | undefined
  readonly volumes: Omit<VolumeFacts, 'now'>
  readonly now: Date
}

/**
 * The VMI as this node wants it. Everything that others write is kept; a final VMI is never changed, so that a verdict
 * stands whoever gave it.
 */
export function reported(vmi: VirtualMachineInstance, report: Report): VirtualMachineInstance {
  if (isFinal(vmi)) return vmi
  const { domain, verdict } = report
  // Told only as long as it is so.
  const { fsFreezeStatus: _before, ...status } = { ...vmi.status }
  if (domain !== undefined) Object.assign(status, guestStatus(vmi, domain, report))
  status.conditions = conditionsOf(vmi, report)
  if (verdict.phase !== status.phase) Object.assign(status, phaseStatus(status, verdict, report.now))
  return { ...vmi, status }
}

function guestStatus(
  vmi: VirtualMachineInstance,
  domain: Domain,
  { cards, volumes, selinuxContext, now }: Report,
): Partial<VirtualMachineInstanceStatus> {
  const machine = domain.spec.os?.type?.$machine
  return {
    interfaces: interfaceStatuses(vmi, domain, cards),
    volumeStatus: volumeStatuses(vmi, domain, { ...volumes, now }),
    guestOSInfo: { ...domain.status.osInfo },
    migrationMethod: migrationMethod(vmi),
    selinuxContext: selinuxContext ?? vmi.status?.selinuxContext ?? 'none',
    ...(machine === undefined ? {} : { machine: { type: machine } }),
    ...memoryStatus(vmi, domain),
    ...(domain.status.fsFreezeStatus === 'frozen' ? { fsFreezeStatus: 'frozen' } : {}),
  }
}

const kibibyte = 1024n

/** How much memory the guest uses of what it may have; what was plugged in counts once the guest took it. */
function memoryStatus(
  { status }: VirtualMachineInstance,
  { spec }: Domain,
): Pick<VirtualMachineInstanceStatus, 'memory'> {
  const { $unit = 'KiB', _: amount } = spec.currentMemory ?? { _: '' }
  if (status?.memory === undefined || amount === '' || $unit !== 'KiB') return {}
  const guestCurrent = formatQuantity(BigInt(amount) * kibibyte)
  const before = status.memory.guestCurrent
  if (before !== undefined && compareQuantity(before, guestCurrent) === 0) return {}
  return { memory: { ...status.memory, guestCurrent } }
}

function phaseStatus(
  status: VirtualMachineInstanceStatus,
  { phase, reason }: Verdict,
  now: Date,
): VirtualMachineInstanceStatus {
  const final = phase === 'Succeeded' || phase === 'Failed'
  const interfaces = final ? withoutAddresses(status.interfaces) : status.interfaces
  const transition = { phase, phaseTransitionTimestamp: `${now.toISOString().slice(0, 19)}Z` }
  return {
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(interfaces === undefined ? {} : { interfaces }),
    phaseTransitionTimestamps: [...(status.phaseTransitionTimestamps ?? []), transition],
  }
}
