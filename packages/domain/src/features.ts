import type { Present } from './device.ts'

export type Switch = { $state?: string }

export type DomainFeatures = {
  acpi?: Present
  apic?: { $eoi?: string }
  smm?: Present | Switch
  pae?: Present
  hyperv?: HyperV
  kvm?: { hidden?: Switch; 'hint-dedicated'?: Switch }
  pvspinlock?: Switch
  pmu?: Switch
  vmport?: Switch
  ioapic?: { $driver: string }
}

export type HyperV = {
  $mode?: string
  relaxed?: Switch
  vapic?: Switch
  spinlocks?: Switch & { $retries?: string | number }
  vpindex?: Switch
  runtime?: Switch
  synic?: Switch
  stimer?: Switch & { direct?: Switch }
  reset?: Switch
  vendor_id?: Switch & { $value?: string }
  frequencies?: Switch
  reenlightenment?: Switch
  tlbflush?: Switch & { direct?: Switch; extended?: Switch }
  ipi?: Switch
  evmcs?: Switch
}
