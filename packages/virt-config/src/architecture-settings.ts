import type { ArchSpecificConfiguration, KubeVirtConfiguration } from '@kubevirt-ts/api'

/**
 * What the cluster says about guests of an architecture; of an unknown one, what it says about amd64. The fields of
 * old releases that know no architecture win, as long as they are set.
 */
export function architectureSettings(
  configuration: KubeVirtConfiguration,
  architecture: string | undefined,
): ArchSpecificConfiguration {
  const { arm64, s390x, amd64 } = configuration.architectureConfiguration ?? {}
  const { machineType, emulatedMachines, ovmfPath } = configuration
  return {
    ...(architecture === 'arm64' ? arm64 : architecture === 's390x' ? s390x : amd64),
    ...(machineType && { machineType }),
    ...(emulatedMachines && { emulatedMachines }),
    ...(ovmfPath && { ovmfPath }),
  }
}
