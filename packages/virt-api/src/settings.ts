import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'

/** What admission and subresources need to know of the KubeVirt resource: its configuration over the defaults, and its gates. */
export interface Settings {
  readonly configuration: KubeVirtConfiguration
  /** Annotations of the KubeVirt resource; absent: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  isEnabled(gate: FeatureGateName): boolean
}
