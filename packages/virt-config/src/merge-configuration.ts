import type { KubeVirtConfiguration } from '@kubevirt-ts/api'

/** A KubeVirt resource's `spec.configuration` over the defaults. Throws `InvalidConfiguration`. */
export function mergeConfiguration(configuration: KubeVirtConfiguration | undefined): KubeVirtConfiguration {
  throw new Error(`not written yet: ${configuration?.imagePullPolicy}`)
}
