import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'

const againMs = 500

/** Users who ask again until their write is taken; `refused` is called each time that it was not. */
export function insistent(client: KubeClient, refused: () => void): KubeClient {
  const insist = async <T>(write: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (!isUnasked(error)) throw error
        refused()
        await sleep(againMs)
      }
    }
  }
  return {
    get lastContact() {
      return client.lastContact
    },
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    watch: (...call) => client.watch(...call),
    create: (...call) => insist(() => client.create(...call)),
    update: (...call) => insist(() => client.update(...call)),
    patch: (...call) => insist(() => client.patch(...call)),
    delete: (...call) => client.delete(...call),
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
