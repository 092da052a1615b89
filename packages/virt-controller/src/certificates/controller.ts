import type {
  APIService,
  ConfigMap,
  KubeVirt,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from '@kubevirt-ts/api'
import { runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { reconcile } from './reconcile.ts'
import type { Deps } from './reconcile.ts'

/** All certificates hang together, so there is one key. */
export const certificatesKey = 'certificates'

export interface Watched {
  readonly secrets: Informer<Secret>
  readonly configMaps: Informer<ConfigMap>
  readonly apiServices: Informer<APIService>
  readonly mutating: Informer<MutatingWebhookConfiguration>
  readonly validating: Informer<ValidatingWebhookConfiguration>
  readonly kubeVirts: Informer<KubeVirt>
}

/** Wakes the key on every change of what it reads or writes: what others remove or overwrite is put back. */
export function watchCertificates(watched: Watched, queue: WorkQueue): void {
  const wake = (): void => queue.add(certificatesKey)
  watched.secrets.on({ updated: wake, deleted: wake })
  watched.configMaps.on({ updated: wake, deleted: wake })
  watched.apiServices.on({ added: wake, updated: wake })
  watched.mutating.on({ added: wake, updated: wake })
  watched.validating.on({ added: wake, updated: wake })
  watched.kubeVirts.on({
    added: wake,
    updated: (before, after) => {
      if (before.metadata.generation !== after.metadata.generation) wake()
    },
  })
  wake()
}

/** Works until the signal is aborted; one worker, since all certificates are one key. */
export function runCertificates(queue: WorkQueue, deps: Deps, log: Logger, signal: AbortSignal): Promise<void> {
  return runWorkers({ queue, workers: 1, reconcile: () => reconcile(deps), log, signal })
}
