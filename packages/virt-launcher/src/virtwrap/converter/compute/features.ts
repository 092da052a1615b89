import type { FeatureHyperv, FeatureState } from '@kubevirt-ts/api'
import type { HyperV, Switch } from '@kubevirt-ts/domain'
import type { Configurator } from '../configurator.ts'
import { confidentiality } from './launch-security.ts'

/** Features of the machine, beside those of its CPU. */
export const features: Configurator = (domain, { vmi, arch }) => {
  const { features: wanted = {}, cpu } = vmi.spec.domain
  const noPmu = Boolean(cpu?.realtime) || confidentiality(vmi) === 'tdx'
  const dedicated = cpu?.dedicatedCpuPlacement && arch.hintsDedicatedCpus
  domain.features = {
    acpi: wanted.acpi?.enabled === false ? undefined : {},
    smm: wanted.smm && wanted.smm.enabled !== false ? {} : undefined,
    apic: wanted.apic && wanted.apic.enabled !== false ? {} : undefined,
    hyperv: wanted.hypervPassthrough?.enabled ? { $mode: 'passthrough' } : wanted.hyperv && hyperv(wanted.hyperv),
    kvm:
      wanted.kvm || dedicated
        ? {
            hidden: wanted.kvm && { $state: wanted.kvm.hidden ? 'on' : 'off' },
            'hint-dedicated': dedicated ? { $state: 'on' } : undefined,
          }
        : undefined,
    pvspinlock: toSwitch(wanted.pvspinlock),
    pmu: noPmu ? { $state: 'off' } : undefined,
    vmport: arch.hasVmport ? { $state: 'off' } : undefined,
  }
}

/** What makes Windows run well. */
function hyperv(wanted: FeatureHyperv): HyperV {
  const { spinlocks, vendorid, synictimer, tlbflush } = wanted
  const with_ = <T extends object>(state: FeatureState | undefined, more: T) => state && { ...toSwitch(state), ...more }
  return {
    relaxed: toSwitch(wanted.relaxed),
    vapic: toSwitch(wanted.vapic),
    spinlocks: with_(spinlocks, {
      $retries: spinlocks?.spinlocks === undefined ? undefined : String(spinlocks.spinlocks),
    }),
    vpindex: toSwitch(wanted.vpindex),
    runtime: toSwitch(wanted.runtime),
    synic: toSwitch(wanted.synic),
    stimer: with_(synictimer, { direct: toSwitch(synictimer?.direct) }),
    reset: toSwitch(wanted.reset),
    vendor_id: with_(vendorid, { $value: vendorid?.vendorid }),
    frequencies: toSwitch(wanted.frequencies),
    reenlightenment: toSwitch(wanted.reenlightenment),
    tlbflush: with_(tlbflush, { direct: toSwitch(tlbflush?.direct), extended: toSwitch(tlbflush?.extended) }),
    ipi: toSwitch(wanted.ipi),
    evmcs: toSwitch(wanted.evmcs),
  }
}

/** A feature that is named without a state is on. */
function toSwitch(state: FeatureState | undefined): Switch | undefined {
  return state && { $state: state.enabled === false ? 'off' : 'on' }
}
