import { expect, test } from '@jest/globals'
import { linkNames } from './link-names.ts'

test('the first interface keeps the plain names', () => {
  const plain = { pod: 'eth0', renamedPod: 'eth0-nic', bridge: 'k6t-eth0', tap: 'tap0' }
  expect(linkNames({ name: 'default', pod: {} })).toEqual(plain)
  expect(linkNames({ name: 'x', multus: { networkName: 'n', default: true } })).toEqual(plain)
})

test('a secondary network is named by a hash that fits into 15 characters', () => {
  const names = linkNames({ name: 'blue', multus: { networkName: 'n' } })
  expect(names.pod).toMatch(/^pod[0-9a-f]{11}$/)
  for (const name of Object.values(names)) expect(name.length).toBeLessThanOrEqual(15)
})

test('a pod of an old release counts its links', () => {
  const names = { pod: 'net1', renamedPod: 'net1-nic', bridge: 'k6t-net1', tap: 'tap1' }
  expect(linkNames({ name: 'blue', multus: { networkName: 'n' } }, 'net1')).toEqual(names)
})
