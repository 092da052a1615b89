import type { KubeVirtConfiguration, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import { bindingOf, presentInterfaces } from '@kubevirt-ts/vmispec'

const product = { manufacturer: 'KubeVirt', product: 'None', version: '', sku: '', family: 'KubeVirt' }
const balloonStatsSeconds = 10

/** What a launcher must know of the cluster's settings and of this node to bring a guest up. */
export function launcherOptions(
  configuration: KubeVirtConfiguration,
  spec: VirtualMachineInstanceSpec,
): VirtualMachineOptions {
  const { virtualMachineOptions = {} } = configuration
  const tapped = presentInterfaces(spec).filter((each) => bindingOf(each) === 'masquerade')
  return VirtualMachineOptions.fromPartial({
    VirtualMachineSMBios: { ...product, ...configuration.smbios },
    MemBalloonStatsPeriod: configuration.memBalloonStatsPeriod ?? balloonStatsSeconds,
    clusterConfig: {
      FreePageReportingDisabled: virtualMachineOptions.disableFreePageReporting !== undefined,
      SerialConsoleLogDisabled: virtualMachineOptions.disableSerialConsoleLog !== undefined,
    },
    interfaceDomainAttachment: Object.fromEntries(tapped.map(({ name }) => [name, 'tap'])),
  })
}
