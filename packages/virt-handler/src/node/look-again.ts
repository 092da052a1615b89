import type { Logger } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { setTimeout as delay } from 'node:timers/promises'

export interface LookAgainDeps {
  readonly clusterConfig: Pick<ClusterConfig, 'kubeVirt' | 'onChange'>
  readonly log: Logger
}

export interface Looking {
  /** One look; answers the milliseconds until the next. `isChanged`: the KubeVirt resource is new to it. */
  readonly look: (isChanged: boolean) => Promise<number>
  /** Milliseconds after a look that failed, and while the KubeVirt resource is not known, before which nobody looks. */
  readonly retryMs: number
  /** What the log says of a look that failed. */
  readonly failure: string
}

/** Keeps something of the node as the KubeVirt resource says where nothing tells of the node's own changes. Ends with the signal. */
export async function lookAgain(
  { clusterConfig, log }: LookAgainDeps,
  looking: Looking,
  signal: AbortSignal,
): Promise<void> {
  const { look, retryMs, failure } = looking
  let wake = new AbortController()
  let isChanged = true
  const unlisten = clusterConfig.onChange(() => {
    isChanged = true
    wake.abort()
  })
  const lookNow = async (): Promise<number> => {
    if (clusterConfig.kubeVirt() === undefined) return retryMs
    const changed = isChanged
    isChanged = false
    return look(changed)
  }
  while (!signal.aborted) {
    wake = new AbortController()
    const pauseMs = await lookNow().catch((error: unknown) => {
      log.warn({ error }, failure)
      return retryMs
    })
    await delay(pauseMs, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(() => undefined)
  }
  unlisten()
}
