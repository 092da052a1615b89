import { expect, test } from '@jest/globals'
import { parseResolvConf, withSubdomain } from './resolv-conf.ts'

test("a pod's file gives servers and search domains", () => {
  const text = 'search ns.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n'

  expect(parseResolvConf(text)).toEqual({
    nameservers: ['10.96.0.10'],
    nameservers6: [],
    search: ['ns.svc.cluster.local', 'svc.cluster.local', 'cluster.local'],
  })
})

test('without a server a public one is named, without domains the usual one', () => {
  expect(parseResolvConf('')).toEqual({ nameservers: ['8.8.8.8'], nameservers6: [], search: ['cluster.local'] })
})

test('IPv6 servers are for DHCPv6, and no other is put in their place', () => {
  expect(parseResolvConf('nameserver fd00::1\n')).toMatchObject({ nameservers: [], nameservers6: ['fd00::1'] })
})

test("with a subdomain the guest's own domain comes first", () => {
  const search = ['svc.cluster.local', 'ns.svc.cluster.local', 'cluster.local']

  expect(withSubdomain(search, 'db')[0]).toBe('db.ns.svc.cluster.local')
  expect(withSubdomain(search, undefined)).toEqual(search)
})
