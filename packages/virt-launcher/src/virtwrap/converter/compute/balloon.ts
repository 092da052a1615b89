import type { Configurator, Guest } from '../configurator.ts'
import { needsIommu } from './launch-security.ts'

/** The device through which a guest gives memory back. */
export const balloon: Configurator = (domain, guest) => {
  const { vmi, context, arch } = guest
  const { autoattachMemBalloon, useVirtioTransitional } = vmi.spec.domain.devices
  if (autoattachMemBalloon === false) {
    domain.devices.memballoon = { $model: 'none' }
    return
  }
  const period = context.memBalloonStatsPeriod
  domain.devices.memballoon = {
    $model: arch.virtioModel(Boolean(useVirtioTransitional)),
    $freePageReporting: reportsFreePages(guest) ? 'on' : 'off',
    stats: period > 0 ? { $period: String(period) } : undefined,
    driver: needsIommu(vmi) ? { $iommu: 'on' } : undefined,
  }
}

// Pages that are locked or huge cannot be given back one by one, and doing so disturbs CPUs that must not be.
function reportsFreePages({ vmi, context }: Guest): boolean {
  const { cpu, memory } = vmi.spec.domain
  const refused =
    vmi.metadata.annotations?.['fedora.org/free-page-reporting-disabled'] ??
    vmi.metadata.annotations?.['kubevirt.io/free-page-reporting-disabled']
  return !context.freePageReportingDisabled && !cpu?.dedicatedCpuPlacement && !memory?.hugepages && refused !== 'true'
}
