import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@kubevirt-ts/kubecli'
import type { KubeClient, WatchEvent } from '@kubevirt-ts/kubecli'
import type { Faults } from './faulty-proxy.ts'

/** What the proxy does to a process, done to a controller in this one. */
export function faultyClient(client: KubeClient, faults: Faults, random: () => number): KubeClient {
  const refuse = (): void => {
    if (random() < faults.conflicts) throw refusal(409, 'Conflict')
  }
  return {
    get lastContact() {
      return client.lastContact
    },
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    create: async (...call) => (refuse(), client.create(...call)),
    update: async (...call) => (refuse(), client.update(...call)),
    patch: async (...call) => (refuse(), client.patch(...call)),
    delete: async (...call) => (refuse(), client.delete(...call)),
    request: (...call) => client.request(...call),
    upgrade: (...call) => client.upgrade(...call),
    setRateLimit: (limit) => client.setRateLimit(limit),
    close: () => client.close(),
    watch: (resource, options) => {
      if (random() < faults.expired) throw refusal(410, 'Expired')
      const end = faults.watchMs > 0 ? AbortSignal.timeout(faults.watchMs) : undefined
      const signals = [options?.signal, end].filter((signal) => signal !== undefined)
      const signal = signals.length === 0 ? undefined : AbortSignal.any(signals)
      return passing(client.watch(resource, { ...options, ...(signal === undefined ? {} : { signal }) }), faults)
    },
  }
}

function refusal(code: number, reason: string): ApiError {
  return new ApiError({ code, reason, message: 'a fault of the test' }, { request: 'TEST' })
}

async function* passing<T>(events: AsyncIterable<WatchEvent<T>>, faults: Faults): AsyncGenerator<WatchEvent<T>, void> {
  for await (const event of events) {
    if (faults.staleMs > 0) await sleep(faults.staleMs)
    yield event
    // As the server would send it: another object with the same content.
    if (faults.duplicated) yield structuredClone(event)
  }
}
