import { expect, test } from '@jest/globals'
import type { DomainSpec } from '@kubevirt-ts/domain'
import { vmi } from '@kubevirt-ts/libvmi'
import { plugDevice } from './plugged-memory.ts'

const mebibyte = 1024n * 1024n
const guest = vmi()
guest.spec.domain.memory = { guest: '192Mi', maxGuest: '512Mi' }
guest.status = { memory: { guestAtBoot: '128Mi' } }
const domain: DomainSpec = {
  $type: 'kvm',
  name: 'ns_vm',
  memory: { _: '0' },
  maxMemory: { $unit: 'KiB', _: '524288' },
  os: { type: { _: 'hvm' } },
  devices: {},
}

test('the device is made once, for all that the guest may grow to, and asks for what it shall have now', () => {
  const { device, isNew } = plugDevice(guest, domain, 192n * mebibyte)

  expect(isNew).toBe(true)
  expect(device.target).toMatchObject({
    size: { $unit: 'KiB', _: String(384 * 1024) },
    block: { _: '2048' },
    requested: { _: String(64 * 1024) },
  })
})

test('later only what it asks for changes, back to the start too', () => {
  const { device: first } = plugDevice(guest, domain, 192n * mebibyte)
  const later = { ...domain, devices: { memory: [{ ...first, alias: { $name: 'virtiomem0' } }] } }

  const { device, isNew } = plugDevice(guest, later, 128n * mebibyte)

  expect(isNew).toBe(false)
  expect(device).toMatchObject({ alias: { $name: 'virtiomem0' }, target: { requested: { _: '0' } } })
})

test.each([64n, 1024n])('%d MiB is out of range', (size) => {
  expect(() => plugDevice(guest, domain, size * mebibyte)).toThrow('needs a restart')
})

test('a guest that was started without room says so', () => {
  expect(() => plugDevice(guest, { ...domain, maxMemory: undefined }, 192n * mebibyte)).toThrow('needs a restart')
})
