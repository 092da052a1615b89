import { expect, test } from '@jest/globals'
import type { Domain, LifeCycle, StateChangeReason } from '@kubevirt-ts/domain'
import { DomainCache, hasEnded } from './domain-cache.ts'

const domain = (status: LifeCycle, reason: StateChangeReason = 'Unknown', uid = 'u1'): Domain => ({
  metadata: { name: 'vm', namespace: 'default', uid },
  spec: {} as Domain['spec'],
  status: { status, reason },
})

const guest = { namespace: 'default', name: 'vm', uid: 'u1' }

const cache = () => {
  const changes: string[] = []
  return Object.assign(new DomainCache(({ uid }) => changes.push(uid)), { changes })
}

test('how a guest ended survives whatever the launcher says afterwards', () => {
  const domains = cache()
  domains.told(guest, domain('Running'))
  domains.told(guest, domain('Shutoff', 'Shutdown'))

  domains.told(guest, undefined)
  domains.told(guest, domain('Running'))

  expect(domains.get('u1')?.status).toEqual({ status: 'Shutoff', reason: 'Shutdown' })
  expect(domains.changes).toHaveLength(2)
})

test('an answer that an event has overtaken is dropped', () => {
  const domains = cache()
  const asked = domains.version('u1')
  domains.told(guest, domain('Running'))

  domains.answered(guest, domain('Shutoff'), asked)

  expect(domains.get('u1')?.status.status).toBe('Running')
})

test('a launcher cannot speak for another guest', () => {
  const domains = cache()
  domains.told(guest, domain('Running', 'Unknown', 'u2'))

  expect(domains.get('u1')).toBeUndefined()
  expect(domains.get('u2')).toBeUndefined()
  expect(domains.changes).toEqual([])
})

test.each([
  ['Running', 'Unknown', false],
  ['Paused', 'User', false],
  ['Shutoff', 'Unknown', false],
  ['Shutoff', 'Shutdown', true],
  ['Shutoff', 'Crashed', true],
  ['Crashed', 'Unknown', true],
] as const)('a domain that is %s for the reason %s has ended: %s', (status, reason, ended) => {
  expect(hasEnded(domain(status, reason))).toBe(ended)
})

test('what is known already wakes nobody, however often it is asked for', () => {
  const domains = cache()
  domains.told(guest, undefined)
  for (const _look of [1, 2]) domains.answered(guest, undefined, domains.version('u1'))
  expect(domains.changes).toHaveLength(1)

  for (const _look of [1, 2, 3]) domains.answered(guest, domain('Paused'), domains.version('u1'))
  expect(domains.changes).toHaveLength(2)
})
