import type { KubeVirt, KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { InformerHandlers, Lister } from '@kubevirt-ts/controller'
import { isDeepStrictEqual } from 'node:util'
import { isGateEnabled, type FeatureGateName } from './feature-gates.ts'
import { mergeConfiguration } from './merge-configuration.ts'

export interface ClusterConfigOptions {
  /** An informer of the KubeVirt resources. */
  readonly kubeVirts: Pick<Lister<KubeVirt>, 'list'> & { on(handlers: InformerHandlers<KubeVirt>): () => void }
  /** The install namespace; without it the first KubeVirt resource anywhere counts. */
  readonly namespace?: string
  /** Told of a configuration that cannot be used; the last valid one stays. */
  readonly onInvalid?: (error: Error) => void
}

/**
 * The KubeVirt resource as settings, always the last valid state. The resource counts from its creation on: here no
 * operator has to accept it first.
 */
export class ClusterConfig {
  readonly #options: ClusterConfigOptions
  readonly #listeners = new Set<(configuration: KubeVirtConfiguration) => void>()
  #kubeVirt: KubeVirt | undefined
  #configuration = mergeConfiguration(undefined)

  constructor(options: ClusterConfigOptions) {
    this.#options = options
    const refresh = () => this.#refresh()
    options.kubeVirts.on({ added: refresh, updated: refresh, deleted: refresh })
  }

  /** Merged over the defaults; a new object after each change, the same one in between. */
  configuration(): KubeVirtConfiguration {
    return this.#configuration
  }

  isEnabled(gate: FeatureGateName): boolean {
    return isGateEnabled(this.#configuration, gate)
  }

  /** The KubeVirt resource, if it is known yet. */
  kubeVirt(): KubeVirt | undefined {
    return this.#kubeVirt
  }

  /** Of the KubeVirt resource in use; empty before one is seen. */
  resourceVersion(): string {
    return this.#kubeVirt?.metadata.resourceVersion ?? ''
  }

  /** Called after the configuration changed. The answer ends it. */
  onChange(listener: (configuration: KubeVirtConfiguration) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #refresh(): void {
    const kubeVirt = oldest(this.#options.kubeVirts.list(), this.#options.namespace)
    // While the resource is away (it is being replaced, or we uninstall) running guests keep their settings.
    if (kubeVirt === undefined || kubeVirt === this.#kubeVirt) return
    this.#kubeVirt = kubeVirt
    const configuration = this.#merged(kubeVirt)
    if (configuration === undefined || isDeepStrictEqual(configuration, this.#configuration)) return
    this.#configuration = configuration
    for (const listener of this.#listeners) listener(configuration)
  }

  #merged(kubeVirt: KubeVirt): KubeVirtConfiguration | undefined {
    try {
      return mergeConfiguration(kubeVirt.spec?.configuration)
    } catch (error) {
      this.#options.onInvalid?.(error as Error)
      return undefined
    }
  }
}

function oldest(kubeVirts: readonly KubeVirt[], namespace: string | undefined): KubeVirt | undefined {
  return kubeVirts
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .toSorted((a, b) => (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''))[0]
}
