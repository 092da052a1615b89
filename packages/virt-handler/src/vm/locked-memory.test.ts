import { expect, test } from '@jest/globals'
import { vmi, withDevices, withMemory } from '@kubevirt-ts/libvmi'
import { lockedMemory } from './locked-memory.ts'

const Mi = 1024n * 1024n

test('a guest with a device of the host locks its memory and what its processes need', () => {
  const guest = vmi(withMemory('1Gi'), withDevices({ hostDevices: [{ name: 'a', deviceName: 'a.org/a' }] }))
  // 288 for the processes of any guest and 1024 for its device.
  expect(lockedMemory(guest, {})).toBe((1024n + 288n + 1024n) * Mi)
  guest.spec.domain.memory = { guest: '1Gi', maxGuest: '4Gi' }
  expect(lockedMemory(guest, {})).toBe((4096n + 288n + 1024n) * Mi)
})

test('so does one whose time counts, and other guests lock nothing', () => {
  const guest = vmi(withMemory('1Gi'))
  expect(lockedMemory(guest, {})).toBeUndefined()
  guest.spec.domain.cpu = { realtime: {} }
  expect(lockedMemory(guest, {})).toBe((1024n + 288n) * Mi)
})
