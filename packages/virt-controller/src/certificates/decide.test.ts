import { beforeAll, expect, test } from '@jest/globals'
import { X509Certificate } from 'node:crypto'
import { rotationSettings } from '@kubevirt-ts/virt-config'
import { dueLeaves, isCaDue, nextDueIn, trustedBundle } from './decide.ts'
import { certificatesOf } from './held.ts'
import type { KeyPair } from './held.ts'
import type { LeafSpec } from './inventory.ts'
import { newAuthority, newLeaf } from './sign.ts'
import type { SignedPair } from './sign.ts'

const hour = 3_600_000
const now = Date.parse('2026-01-01T00:00:00Z')
const settings = rotationSettings(undefined)
const spec: LeafSpec = {
  secret: 's',
  commonName: 'virt-api.kubevirt.svc',
  dnsNames: ['virt-api.kubevirt.svc'],
  usages: ['server'],
}

function held({ cert, key }: SignedPair): KeyPair {
  return { certificate: new X509Certificate(cert), cert, key }
}

let ca: KeyPair
let other: KeyPair
let leaf: KeyPair

beforeAll(() => {
  ca = held(newAuthority(settings.ca.duration, now))
  other = held(newAuthority(settings.ca.duration, now - hour))
  leaf = held(newLeaf(spec, ca, settings.leaf.duration, now))
})

test('a leaf is what its spec says, signed by the authority', () => {
  expect(leaf.certificate.verify(ca.certificate.publicKey)).toBe(true)
  expect(leaf.certificate.checkIssued(ca.certificate)).toBe(true)
  expect(leaf.certificate.checkHost('virt-api.kubevirt.svc')).toBe('virt-api.kubevirt.svc')
  expect(leaf.certificate.ca).toBe(false)
})

test('an authority is renewed in the last fifth of its life, or when there is none', () => {
  expect(isCaDue(undefined, settings, now)).toBe(true)
  expect(isCaDue(leaf, settings, now)).toBe(true)
  expect(isCaDue(ca, settings, now + 5 * 24 * hour)).toBe(false)
  expect(isCaDue(ca, settings, now + 6 * 24 * hour)).toBe(true)
})

test.each<[why: string, pair: () => KeyPair | undefined, at: number, due: boolean]>([
  ['fresh', () => leaf, now, false],
  ['in the last fifth of its life', () => leaf, now + 20 * hour, true],
  ['missing', () => undefined, now, true],
])('a leaf that is %s: %#', (_, pair, at, due) => {
  expect(dueLeaves([spec], pair, ca.certificate, settings, at)).toEqual(due ? [spec] : [])
})

test('a leaf of another authority or for other names is replaced at once', () => {
  expect(dueLeaves([spec], () => leaf, other.certificate, settings, now)).toEqual([spec])
  const renamed = { ...spec, dnsNames: ['virt-api.elsewhere.svc'] }
  expect(dueLeaves([renamed], () => leaf, ca.certificate, settings, now)).toEqual([renamed])
})

test('the bundle keeps earlier authorities until they end, and nothing else', () => {
  const bundle = trustedBundle(ca.certificate, [other.certificate, leaf.certificate, ca.certificate], now)
  expect(certificatesOf(bundle).map(({ subject }) => subject)).toEqual([
    ca.certificate.subject,
    other.certificate.subject,
  ])
  const later = trustedBundle(ca.certificate, [other.certificate], now + 7 * 24 * hour - hour / 2)
  expect(certificatesOf(later)).toHaveLength(1)
})

test('the next look is when the first certificate is due', () => {
  const pause = nextDueIn([leaf], ca.certificate, settings, now)
  expect(pause).toBeGreaterThan(19 * hour)
  expect(pause).toBeLessThan(20 * hour)
})

test('a leaf does not outlive its authority', () => {
  const late = newLeaf(spec, ca, settings.leaf.duration, now + 6.5 * 24 * hour)
  expect(held(late).certificate.validToDate <= ca.certificate.validToDate).toBe(true)
})

test('lifetimes come from the KubeVirt resource, the deprecated intervals first', () => {
  const selfSigned = {
    ca: { duration: '48h0m0s', renewBefore: '24h' },
    server: { duration: '30m', renewBefore: '1h' },
    caRotateInterval: '72h',
  }
  expect(rotationSettings({ selfSigned })).toEqual({
    ca: { duration: 72 * hour, renewBefore: 24 * hour },
    leaf: { duration: hour / 2, renewBefore: hour / 10 },
  })
})
