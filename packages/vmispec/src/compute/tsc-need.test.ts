import { expect, test } from '@jest/globals'
import { vmi } from '@kubevirt-ts/libvmi'
import { tscNeed } from './tsc-need.ts'

test('an invariant counter is needed to boot, reenlightenment only to move', () => {
  expect(tscNeed(vmi())).toBe('none')
  expect(tscNeed(vmi((object) => (object.spec.domain.cpu = { features: [{ name: 'invtsc' }] })))).toBe('boot')
  const optional = [{ name: 'invtsc', policy: 'optional' as const }]
  expect(tscNeed(vmi((object) => (object.spec.domain.cpu = { features: optional })))).toBe('none')
  const hyperv = { hyperv: { reenlightenment: {} } }
  expect(tscNeed(vmi((object) => (object.spec.domain.features = hyperv)))).toBe('migration')
})
