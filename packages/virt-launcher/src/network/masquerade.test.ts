import { expect, test } from '@jest/globals'
import { masqueradeAddresses } from './masquerade.ts'

test.each([
  ['10.0.2.0/24', '10.0.2.1', '10.0.2.2'],
  ['10.0.2.77/24', '10.0.2.1', '10.0.2.2'],
  ['192.168.255.252/30', '192.168.255.253', '192.168.255.254'],
])('in %s the router is %s and the guest %s', (cidr, gateway, guest) => {
  expect(masqueradeAddresses(cidr)).toMatchObject({ gateway, guest })
})

test.each(['10.0.2.0/31', '10.0.2.0', 'nonsense'])('%s is refused', (cidr) => {
  expect(() => masqueradeAddresses(cidr)).toThrow('no two host addresses')
})
