import type { Timer as DomainTimer } from '@kubevirt-ts/domain'
import type { Configurator } from '../configurator.ts'

type Wanted = { present?: boolean; tickPolicy?: string; track?: string }

/** The guest's clock and timers. */
export const clock: Configurator = (domain, { vmi }) => {
  const { clock: wanted } = vmi.spec.domain
  if (!wanted) return
  const { utc, timezone, timer } = wanted
  const timers = [
    ...one('rtc', timer?.rtc),
    ...one('pit', timer?.pit),
    ...one('kvmclock', timer?.kvm),
    ...one('hpet', timer?.hpet),
    ...one('hypervclock', timer?.hyperv),
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
