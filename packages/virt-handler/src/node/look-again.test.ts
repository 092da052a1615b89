import { expect, test } from '@jest/globals'
import type { KubeVirt, KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { Logger } from '@kubevirt-ts/service'
import { lookAgain } from './look-again.ts'

const hourMs = 3_600_000

/** Looks that somebody else waits for, of a KubeVirt resource that changes by hand. */
function looks(answer: (count: number) => number) {
  const listeners = new Set<(configuration: KubeVirtConfiguration) => void>()
  const seen: boolean[] = []
  const warned: string[] = []
  let known: KubeVirt | undefined
  let arrived = Promise.withResolvers<void>()
  const onChange = (listener: (configuration: KubeVirtConfiguration) => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const log = { warn: (_: unknown, message: string) => warned.push(message) } as unknown as Logger
  const end = new AbortController()
  const look = async (isChanged: boolean): Promise<number> => {
    seen.push(isChanged)
    arrived.resolve()
    return answer(seen.length)
  }
  const deps = { clusterConfig: { kubeVirt: () => known, onChange }, log }
  const over = lookAgain(deps, { look, retryMs: hourMs, failure: 'no luck' }, end.signal)
  return {
    seen,
    warned,
    listeners,
    /** Comes back when the next look has begun. */
    async change(): Promise<void> {
      known = {} as KubeVirt
      arrived = Promise.withResolvers()
      for (const listener of listeners) listener({})
      await arrived.promise
    },
    async stop(): Promise<void> {
      end.abort()
      await over
    },
  }
}

test('nobody looks before the KubeVirt resource is known; each change of it is looked at, and told', async () => {
  const each = looks(() => hourMs)
  expect(each.seen).toEqual([])
  await each.change()
  await each.change()
  await each.stop()
  expect(each.seen).toEqual([true, true])
  expect(each.listeners.size).toBe(0)
})

test('a look says when the next is, which is no change', async () => {
  const again = Promise.withResolvers<void>()
  const each = looks((count) => {
    if (count === 2) again.resolve()
    return count === 1 ? 0 : hourMs
  })
  await each.change()
  await again.promise
  await each.stop()
  expect(each.seen).toEqual([true, false])
})

test('one that fails is told, and ends nothing', async () => {
  const each = looks((count) => {
    if (count === 1) throw new Error('gone')
    return hourMs
  })
  await each.change()
  await each.change()
  await each.stop()
  expect(each.seen).toEqual([true, true])
  expect(each.warned).toEqual(['no luck'])
})
