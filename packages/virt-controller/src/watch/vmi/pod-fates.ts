import type { Pod } from '@kubevirt-ts/api'

export interface PodFate {
  /** Exit code of the compute container, where the kubelet reported one. */
  readonly exitCode?: number
  /** When the pod was first found missing, in milliseconds since 1970. */
  readonly goneSince?: number
}

/**
 * Remembers how launcher pods ended. A pod leaves the API soon after its last container, and with it the
 * only witness of how the guest ended if the node agent's own verdict was lost to a conflict.
 */
export class PodFates {
  readonly #fates = new Map<string, PodFate>()

  /** Takes note of a pod of the VMI with the given UID. */
  observe(vmiUid: string, pod: Pod): void {
    const compute = pod.status?.containerStatuses?.find(({ name }) => name === 'compute')
    const exitCode = compute?.state?.terminated?.exitCode
    if (exitCode !== undefined) this.#fates.set(vmiUid, { exitCode })
  }

  /** Takes note that the VMI has no pod any more, and returns what is known. The first call sets the time. */
  gone(vmiUid: string, now: Date): PodFate {
    const fate = { goneSince: now.getTime(), ...this.#fates.get(vmiUid) }
    this.#fates.set(vmiUid, fate)
    return fate
  }

  forget(vmiUid: string): void {
    this.#fates.delete(vmiUid)
  }
}
