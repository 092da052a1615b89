import { expect, test } from '@jest/globals'
import { LibvirtError } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'
import { refusalText } from './refusal.ts'

const libvirt = (code: number) => new LibvirtError('virDomainSuspend', { code, domain: 10, message: 'no' })

test.each<[string, unknown, string]>([
  ["the launcher's own reason", new VirtError('ImageNotUsable', 'bad'), 'ImageNotUsable: bad'],
  ['the state of the domain', libvirt(55), 'WrongDomainState: virDomainSuspend: no'],
  ['libvirt in general', libvirt(1), 'LibvirtFailed: virDomainSuspend: no'],
  ['why under libvirt', new VirtError('GuestNotStarted', 'no', { cause: libvirt(1) }), 'GuestNotStarted: no'],
  ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), 'NoSpace: write'],
  ['nothing that is known', 'odd', 'Internal: odd'],
])('a refusal begins with a stable word for %s', (_, error, text) => {
  expect(refusalText(error)).toBe(text)
})
