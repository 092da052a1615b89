import type { VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import { fill } from '../draft.ts'
import type { Draft } from '../draft.ts'
import { applyDevices } from './devices.ts'
import { applyDisks } from './disks.ts'
import { applyFirmware } from './firmware.ts'
import { applyFeatures } from './features.ts'

/** Fills what the template and the instance type left open. */
export function applyPreference(draft: Draft, preference: VirtualMachinePreferenceSpec): void {
  const { spec, metadata } = draft
  for (const step of [applyCpuFeatures, applyClock, applyMachine]) step(spec.domain, preference)
  applyDevices(spec, preference)
  applyDisks(spec.domain, preference)
  applyFeatures(spec.domain, preference)
  applyFirmware(spec.domain, preference)
  fill(spec, {
    terminationGracePeriodSeconds: preference.preferredTerminationGracePeriodSeconds,
    subdomain: preference.preferredSubdomain,
    architecture: preference.preferredArchitecture,
  })
  fill(spec.domain, { launchSecurity: preference.preferredLaunchSecurity })
  if (preference.annotations !== undefined) {
    metadata.annotations = { ...preference.annotations, ...metadata.annotations }
  }
}

type Domain = Draft['spec']['domain']

function applyCpuFeatures(domain: Domain, { cpu }: VirtualMachinePreferenceSpec): void {
  const own = domain.cpu?.features ?? []
  const wished = (cpu?.preferredCPUFeatures ?? []).filter(({ name }) => own.every((each) => each.name !== name))
  if (wished.length > 0) domain.cpu = { ...domain.cpu, features: [...own, ...structuredClone(wished)] }
}

function applyClock(domain: Domain, { clock }: VirtualMachinePreferenceSpec): void {
  if (clock === undefined) return
  const own = domain.clock ?? {}
  const isOpen = own.utc === undefined && own.timezone === undefined
  domain.clock = { ...(isOpen ? structuredClone(clock.preferredClockOffset) : {}), ...own }
  if (clock.preferredTimer === undefined) return
  const timer = { ...domain.clock.timer }
  fill(timer, clock.preferredTimer)
  domain.clock.timer = timer
}

function applyMachine(domain: Domain, { machine }: VirtualMachinePreferenceSpec): void {
  if (machine?.preferredMachineType === undefined) return
  const own = { ...domain.machine }
  fill(own, { type: machine.preferredMachineType })
  domain.machine = own
}
