import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import type { Settings } from '../settings.ts'
import type { VirtHandler } from './virt-handler.ts'

/** What subresources work with. */
export interface RestParts {
  readonly client: KubeClient
  readonly virtHandler: VirtHandler
  readonly log: Logger
  readonly settings: Settings
}

/** The object that a request is about. */
export interface Target {
  readonly namespace: string
  readonly name: string
  /** All is decided and nothing is changed. */
  readonly dryRun?: boolean
}
