import type { KubeVirt, KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { InformerHandlers, Lister } from '@kubevirt-ts/controller'
import type { FeatureGateName } from './feature-gates.ts'

export interface ClusterConfigOptions {
  /** An informer of the KubeVirt resources. */
  readonly kubeVirts: Lister<KubeVirt> & { on(handlers: InformerHandlers<KubeVirt>): () => void }
  /** The install namespace; without it the first KubeVirt resource anywhere counts. */
  readonly namespace?: string
  /** Told of a configuration that cannot be used; the last valid one stays. */
  readonly onInvalid?: (error: Error) => void
}

/** The KubeVirt resource as settings, always the last valid state. */
export class ClusterConfig {
  constructor(options: ClusterConfigOptions) {
    void options
  }

  /** Merged over the defaults; a new object after each change, the same one in between. */
  configuration(): KubeVirtConfiguration {
    throw new Error('not written yet')
  }

  isEnabled(gate: FeatureGateName): boolean {
    throw new Error(`not written yet: ${gate}`)
  }

  /** The KubeVirt resource, if it is known yet. */
  kubeVirt(): KubeVirt | undefined {
    return undefined
  }

  /** Of the KubeVirt resource in use; empty before one is seen. */
  resourceVersion(): string {
    return ''
  }

  /** Called after the configuration changed. The answer ends it. */
  onChange(listener: (configuration: KubeVirtConfiguration) => void): () => void {
    void listener
    return () => undefined
  }
}
