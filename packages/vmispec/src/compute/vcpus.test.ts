import { expect, test } from '@jest/globals'
import type { VmiPiece } from '@kubevirt-ts/libvmi'
import { vmi, withCpu, withLimits, withMemory, withRequests } from '@kubevirt-ts/libvmi'
import { guestMemory } from './memory.ts'
import { isGuaranteed } from './quality-of-service.ts'
import { vcpus } from './vcpus.ts'

test.each<[string, VmiPiece[], number]>([
  ['nothing given', [], 1],
  ['a topology', [withCpu({ cores: 2, sockets: 3, threads: 2 })], 12],
  ['a topology with zeros', [withCpu({ cores: 4, sockets: 0 })], 4],
  ['a limit before a request, rounded up', [withRequests({ cpu: '100m' }), withLimits({ cpu: '1500m' })], 2],
  ['a topology before a limit', [withCpu({ cores: 3 }), withLimits({ cpu: 8 })], 3],
])('virtual CPUs with %s', (_, pieces, count) => {
  expect(vcpus(vmi(...pieces).spec)).toBe(count)
})

test.each<[string, VmiPiece[], bigint | undefined]>([
  ['nothing given', [], undefined],
  ['guest memory before a request', [withMemory('64Mi'), withRequests({ memory: '1Gi' })], 67108864n],
  ['a request before a limit', [withRequests({ memory: '1M' }), withLimits({ memory: '2M' })], 1000000n],
])('guest memory with %s', (_, pieces, bytes) => {
  expect(guestMemory(vmi(...pieces).spec)).toBe(bytes)
})

test('a pod is guaranteed when limits and requests exist for both and do not differ', () => {
  const limits = withLimits({ cpu: '2', memory: '1Gi' })
  expect(isGuaranteed(vmi(limits).spec)).toBe(false)
  expect(isGuaranteed(vmi(limits, withRequests({ cpu: '2' })).spec)).toBe(false)
  expect(isGuaranteed(vmi(limits, withRequests({ memory: '1024Mi', cpu: '2000m' })).spec)).toBe(true)
  expect(isGuaranteed(vmi(limits, withRequests({ memory: '512Mi' })).spec)).toBe(false)
  expect(isGuaranteed(vmi(withLimits({ memory: '1Gi' })).spec)).toBe(false)
})
