import type { KubeObject } from '@kubevirt-ts/api'
import type { WatchEvent } from '../kube-client.ts'
import { isSelected, type Selection } from './selectors.ts'

export interface Change {
  readonly version: number
  /** Group and kind. */
  readonly resource: string
  readonly before?: KubeObject
  readonly after?: KubeObject
}

/** What changed since the beginning, for watches. */
export class ChangeLog {
  readonly #changes: Change[] = []
  readonly #wake = new Set<() => void>()

  add(change: Change): void {
    this.#changes.push(change)
    for (const wake of this.#wake) wake()
  }

  /** Events after a version as they come, until the signal is aborted. */
  async *events(
    resource: string,
    after: number,
    selection: Selection,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<WatchEvent<KubeObject>, void> {
    let seen = after
    while (signal?.aborted !== true) {
      const changes = this.#changes.filter((change) => change.version > seen && change.resource === resource)
      for (const change of changes) {
        seen = change.version
        const event = eventOf(change, selection)
        if (event !== undefined) yield structuredClone(event)
      }
      if (changes.length === 0) await this.#next(signal)
    }
  }

  async #next(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#wake.add(wake)
    signal?.addEventListener('abort', wake)
    await promise
    signal?.removeEventListener('abort', wake)
    this.#wake.delete(wake)
  }
}

/** A change as a watch with this selection sees it: leaving the selection looks like a deletion. */
function eventOf({ before, after, version }: Change, selection: Selection): WatchEvent<KubeObject> | undefined {
  const was = before !== undefined && isSelected(before, selection)
  const is = after !== undefined && isSelected(after, selection)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after }
  if (!was) return undefined
  const last = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } }
  return { type: 'DELETED', object: last }
}
