import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, isAlreadyExists, isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'

const againMs = 500

/**
 * Users who ask again until the server took their write, or says that it has: while its webhook is away, and where it was
 * too slow to answer. `refused` is called each time that the webhook was away.
 */
export function insistent(client: KubeClient, refused: () => void = () => undefined): KubeClient {
  const insist = async <T>(
    write: () => Promise<T>,
    wasDone: (error: unknown) => Promise<T> | undefined,
  ): Promise<T> => {
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await write()
      } catch (error) {
        const done = isAgain ? wasDone(error) : undefined
        if (done !== undefined) return done
        if (isUnasked(error)) refused()
        else if (!isTooSlow(error)) throw error
        await sleep(againMs)
      }
    }
  }
  const never = (): undefined => undefined
  return {
    get lastContact() {
      return client.lastContact
    },
    get: (...call) => insist(() => client.get(...call), never),
    list: (...call) => insist(() => client.list(...call), never),
    watch: (...call) => client.watch(...call),
    create: (resource, object, options) =>
      insist(
        () => client.create(resource, object, options),
        (error) => (isAlreadyExists(error) ? Promise.resolve(object) : undefined),
      ),
    update: (...call) => insist(() => client.update(...call), never),
    patch: (...call) => insist(() => client.patch(...call), never),
    delete: (...call) =>
      insist(
        () => client.delete(...call),
        (error) => (isNotFound(error) ? Promise.resolve() : undefined),
      ),
    request: (...call) => client.request(...call),
    upgrade: (...call) => client.upgrade(...call),
    setRateLimit: (limit) => client.setRateLimit(limit),
    close: () => client.close(),
  }
}

/** Whether a write was refused since its webhook says nothing. */
function isUnasked(error: unknown): boolean {
  return error instanceof ApiError && error.code === 500 && error.message.includes('failed calling webhook')
}

function isTooSlow(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 504 || error.code === 503 || error.code === 429)
}
