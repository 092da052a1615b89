import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { RenderContext } from './context.ts'
import type { Objects } from './objects.ts'

/** What a workload is rendered in. */
export interface World {
  /** Merged over the defaults. */
  readonly configuration: KubeVirtConfiguration
  readonly objects: Objects
  readonly context: RenderContext
}
