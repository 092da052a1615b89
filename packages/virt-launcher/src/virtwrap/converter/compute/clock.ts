import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Timer as DomainTimer } from '@kubevirt-ts/domain'
import type { Configurator } from '../configurator.ts'

type Wanted = { present?: boolean; tickPolicy?: string; track?: string }

/** The guest's clock and timers. */
export const clock: Configurator = (domain, { vmi }) => {
  const { clock: wanted } = vmi.spec.domain
  const counter = timeStampCounter(vmi)
  if (!wanted && counter.length === 0) return
  const { utc, timezone, timer } = wanted ?? {}
  const timers = [
    ...one('rtc', timer?.rtc),
    ...one('pit', timer?.pit),
    ...one('kvmclock', timer?.kvm),
    ...one('hpet', timer?.hpet),
    ...one('hypervclock', timer?.hyperv),
    ...counter,
  ]
  domain.clock = {
    ...(utc
      ? { $offset: 'utc', $adjustment: utc.offsetSeconds === undefined ? 'reset' : String(utc.offsetSeconds) }
      : timezone
        ? { $offset: 'timezone', $timezone: timezone }
        : {}),
    timer: timers.length > 0 ? timers : undefined,
  }
}

function one(name: string, wanted: Wanted | undefined): DomainTimer[] {
  if (!wanted) return []
  const { present = true, tickPolicy, track } = wanted
  return [{ $name: name, $tickpolicy: tickPolicy, $present: present ? 'yes' : 'no', $track: track }]
}

/** A guest that relies on its time stamp counter sees on every node the frequency that the controller chose for it. */
function timeStampCounter({ spec, status }: VirtualMachineInstance): DomainTimer[] {
  const frequency = status?.topologyHints?.tscFrequency
  const { cpu, features } = spec.domain
  const invariant = cpu?.features?.some(({ name, policy }) => name === 'invtsc' && (!policy || policy === 'require'))
  const reenlightenment = features?.hyperv?.reenlightenment
  if (frequency === undefined || !(invariant || (reenlightenment && reenlightenment.enabled !== false))) return []
  return [{ $name: 'tsc', $frequency: String(frequency) }]
}
