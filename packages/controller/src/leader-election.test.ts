import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { leases, type Lease } from '@kubevirt-ts/api'
import { fakeClient, type FakeClient } from '@kubevirt-ts/kubecli/testing'
import { runLeaderElection, type Leadership } from './leader-election.ts'
import { silentLog } from './testing/silent-log.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const reference = { namespace: 'kubevirt', name: 'virt-controller' }
const holder = async (client: FakeClient) => client.objects<Lease>(leases)[0]?.spec?.holderIdentity

function candidate(client: FakeClient, identity: string) {
  const stop = new AbortController()
  const seen: { signal?: AbortSignal; leadership?: Leadership; stopped?: boolean; failure?: unknown } = {}
  const ended = runLeaderElection({
    client,
    ...reference,
    identity,
    log: silentLog(),
    signal: stop.signal,
    onStarted: (signal, leadership) => {
      Object.assign(seen, { signal, leadership })
    },
    onStopped: () => {
      seen.stopped = true
    },
  }).catch((error: unknown) => {
    seen.failure = error
  })
  return { seen, stop: () => stop.abort(), ended }
}

test('one leads, and after its orderly end the other takes over within two tries', async () => {
  const client = fakeClient()
  const a = candidate(client, 'a')
  await jest.advanceTimersByTimeAsync(10)
  const b = candidate(client, 'b')
  await jest.advanceTimersByTimeAsync(60_000)
  expect([a.seen.leadership?.isHeld(), b.seen.leadership, await holder(client)]).toEqual([true, undefined, 'a'])

  a.stop()
  await jest.advanceTimersByTimeAsync(0)
  await a.ended
  expect([a.seen.signal?.aborted, a.seen.stopped, a.seen.failure, await holder(client)]).toEqual([
    true,
    true,
    undefined,
    '',
  ])
  await jest.advanceTimersByTimeAsync(5000)

  expect(await holder(client)).toBe('b')
  expect(client.objects<Lease>(leases)[0]?.spec?.leaseTransitions).toBe(1)
  b.stop()
  await b.ended
})

test('a dead leader is followed when its lease is over by the clock of the follower', async () => {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: reference,
    // A clock far ahead must not matter.
    spec: { holderIdentity: 'dead', renewTime: '2099-01-01T00:00:00.000000Z', leaseDurationSeconds: 15 },
  } as Lease
  const client = fakeClient([lease])
  const a = candidate(client, 'a')

  await jest.advanceTimersByTimeAsync(14_900)
  expect(a.seen.leadership).toBeUndefined()
  await jest.advanceTimersByTimeAsync(3000)

  expect(a.seen.leadership?.isHeld()).toBe(true)
  a.stop()
  await a.ended
})

test('a leader that cannot renew steps down before its lease is over', async () => {
  const client = fakeClient()
  const a = candidate(client, 'a')
  await jest.advanceTimersByTimeAsync(10)
  client.intercept(() => {
    throw new Error('server away')
  })

  await jest.advanceTimersByTimeAsync(9000)
  expect(a.seen.leadership?.isHeld()).toBe(true)
  await jest.advanceTimersByTimeAsync(2000)
  await a.ended

  expect([a.seen.signal?.aborted, a.seen.stopped]).toEqual([true, true])
  expect(a.seen.failure).toMatchObject({ reason: 'LeadershipLost' })
})

test('a request without an answer does not keep a leader leading', async () => {
  const client = fakeClient()
  const a = candidate(client, 'a')
  await jest.advanceTimersByTimeAsync(10)
  const { promise, resolve } = Promise.withResolvers<void>()
  client.intercept(() => promise)

  await jest.advanceTimersByTimeAsync(12_100)
  await a.ended
  resolve()
  await jest.advanceTimersByTimeAsync(100)

  expect([a.seen.signal?.aborted, a.seen.leadership?.isHeld()]).toEqual([true, false])
})

test('a lease that was answered too late to lead by is asked for again', async () => {
  const client = fakeClient()
  const { promise, resolve } = Promise.withResolvers<void>()
  client.intercept(() => promise)
  const a = candidate(client, 'a')
  await jest.advanceTimersByTimeAsync(11_000)
  resolve()
  await jest.advanceTimersByTimeAsync(10)
  expect(a.seen.leadership).toBeUndefined()

  await jest.advanceTimersByTimeAsync(3000)

  expect([a.seen.leadership?.isHeld(), a.seen.failure]).toEqual([true, undefined])
  a.stop()
  await a.ended
})

test('a leader that slept knows at once that it leads no more, and writes nothing', async () => {
  const client = fakeClient()
  const a = candidate(client, 'a')
  await jest.advanceTimersByTimeAsync(10)
  const { leadership } = a.seen

  // Time passes without any timer of the process running, as after SIGSTOP.
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
  expect(leadership?.isHeld()).toBe(false)
  await client.patch(leases, reference, { spec: { holderIdentity: 'b' } }, { type: 'merge' })
  const writes = client.writes().length
  await jest.advanceTimersByTimeAsync(5000)
  await a.ended

  expect(client.writes()).toHaveLength(writes)
  expect(a.seen.failure).toMatchObject({ reason: 'LeadershipLost' })
  jest.restoreAllMocks()
})

test('a holder that was replaced by hand steps down with its next renewal', async () => {
  const client = fakeClient()
  const a = candidate(client, 'a')
  await jest.advanceTimersByTimeAsync(10)
  await client.patch(leases, reference, { spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } }, { type: 'merge' })

  await jest.advanceTimersByTimeAsync(2500)
  await a.ended

  expect(a.seen.signal?.aborted).toBe(true)
  expect(await holder(client)).toBe('b')
})
