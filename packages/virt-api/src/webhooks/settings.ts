import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'

/** What admission needs to know of the KubeVirt resource: its configuration over the defaults, and its gates. */
export interface Settings {
  readonly configuration: KubeVirtConfiguration
  isEnabled(gate: FeatureGateName): boolean
}

/** The settings for one architecture; those of amd64 for a word that is unknown. */
export function architectureSettings(settings: Settings, architecture: string | undefined) {
  const all = settings.configuration.architectureConfiguration
  return architecture === 'arm64' ? all?.arm64 : architecture === 's390x' ? all?.s390x : all?.amd64
}
