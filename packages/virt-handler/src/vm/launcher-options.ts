import type { KubeVirtConfiguration, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import { bindingOf, presentInterfaces } from '@kubevirt-ts/vmispec'
import { pluginAttachment } from './network.ts'

const product = { manufacturer: 'KubeVirt', product: 'None', version: '', sku: '', family: 'KubeVirt' }
const balloonStatsSeconds = 10

/** What a launcher must know of the cluster's settings and of this node to bring a guest up. */
export function launcherOptions(
  configuration: KubeVirtConfiguration,
  spec: VirtualMachineInstanceSpec,
): VirtualMachineOptions {
  const { virtualMachineOptions = {} } = configuration
  return VirtualMachineOptions.fromPartial({
    VirtualMachineSMBios: { ...product, ...configuration.smbios },
    MemBalloonStatsPeriod: configuration.memBalloonStatsPeriod ?? balloonStatsSeconds,
    clusterConfig: {
      FreePageReportingDisabled: virtualMachineOptions.disableFreePageReporting !== undefined,
      SerialConsoleLogDisabled: virtualMachineOptions.disableSerialConsoleLog !== undefined,
    },
    interfaceDomainAttachment: attachments(configuration, spec),
  })
}

/** By card: `tap` for our own bindings, what its plugin says for others. */
function attachments(configuration: KubeVirtConfiguration, spec: VirtualMachineInstanceSpec): Record<string, string> {
  const pairs = presentInterfaces(spec).flatMap((card): [string, string][] => {
    const binding = bindingOf(card)
    if (binding === 'masquerade' || binding === 'bridge') return [[card.name, 'tap']]
    const attachment = pluginAttachment(card, configuration)
    return attachment === undefined ? [] : [[card.name, attachment]]
  })
  return Object.fromEntries(pairs)
}
