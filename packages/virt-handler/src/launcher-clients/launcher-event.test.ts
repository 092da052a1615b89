import { expect, test } from '@jest/globals'
import { launcherEvent } from './launcher-event.ts'

const guest = { namespace: 'default', name: 'vm', uid: 'uid-1' }
const event = { involvedObject: { uid: 'uid-1' }, type: 'Warning', reason: 'IOError', message: 'disk full' }

test('an event about the own guest is passed on', () => {
  expect(launcherEvent(guest, event)).toEqual({ type: 'Warning', reason: 'IOError', message: 'disk full' })
})

test('a long message is cut and an unknown type becomes Normal', () => {
  const told = launcherEvent(guest, { ...event, type: 'Alarm', message: 'x'.repeat(100_000) })
  expect(told).toMatchObject({ type: 'Normal' })
  expect(told?.message).toHaveLength(1024)
})

test.each([
  ['about another guest', { ...event, involvedObject: { uid: 'uid-2' } }],
  ['with a reason that is none', { ...event, reason: 'rm -rf /' }],
  ['without a reason', { involvedObject: { uid: 'uid-1' } }],
  ['that is nothing', undefined],
])('an event %s is dropped', (_, told) => {
  expect(launcherEvent(guest, told)).toBeUndefined()
})
