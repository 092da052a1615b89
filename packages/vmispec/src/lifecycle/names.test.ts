import { expect, test } from '@jest/globals'
import { vmi, withName, withNamespace, withPhase } from '@kubevirt-ts/libvmi'
import { domainName, hostname, vmiLabelId } from './names.ts'
import { isFinal, isHandedOver, isUnprocessed } from './phases.ts'

test('the domain is named after namespace and name', () => {
  expect(domainName(vmi(withName('db'), withNamespace('prod')))).toBe('prod_db')
})

test('the host name is the name up to its first dot, at most 63 characters, unless the spec has one', () => {
  expect(hostname(vmi(withName('db.example')))).toBe('db')
  expect(hostname(vmi(withName('a'.repeat(70))))).toBe('a'.repeat(63))
  expect(hostname(vmi((object) => (object.spec.hostname = 'other')))).toBe('other')
})

test('a name that fits is the label; a longer one is cut and gets a hash that tells it from its neighbours', () => {
  expect(vmiLabelId('x'.repeat(63))).toBe('x'.repeat(63))
  const id = vmiLabelId(`${'x'.repeat(63)}a`)
  expect(id).toMatch(/^x{54}-[0-9a-f]{8}$/)
  expect(id).not.toBe(vmiLabelId(`${'x'.repeat(63)}b`))
})

test('phases tell who leads and whether the guest has ended', () => {
  expect(isUnprocessed(vmi())).toBe(true)
  expect(isUnprocessed(vmi(withPhase('Scheduling')))).toBe(false)
  expect(isHandedOver(vmi(withPhase('Scheduled')))).toBe(true)
  expect(isFinal(vmi(withPhase('Failed')))).toBe(true)
  expect(isFinal(vmi(withPhase('Running')))).toBe(false)
})
