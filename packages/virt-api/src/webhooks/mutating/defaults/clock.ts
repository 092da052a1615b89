import type { Default } from './default.ts'

/** A timer that is mentioned is present. */
export const clock: Default = ({ spec }) => {
  const timer = spec.domain.clock?.timer
  for (const each of [timer?.hpet, timer?.kvm, timer?.pit, timer?.rtc, timer?.hyperv]) if (each) each.present ??= true
}
