import type { X509Certificate } from 'node:crypto'
import type { Lifetime, RotationSettings } from '@kubevirt-ts/virt-config'
import { beginOf, endOf } from './held.ts'
import type { KeyPair } from './held.ts'
import type { LeafSpec } from './inventory.ts'

/** Whether the authority must be replaced before anything else is signed. */
export function isCaDue(ca: KeyPair | undefined, { ca: lifetime }: RotationSettings, now: number): boolean {
  return ca === undefined || !ca.certificate.ca || isDue(ca.certificate, lifetime, now)
}

/** The leaves to be signed anew: missing, nearly over, of another authority, or for other names. */
export function dueLeaves(
  specs: readonly LeafSpec[],
  held: (spec: LeafSpec) => KeyPair | undefined,
  ca: X509Certificate,
  { leaf }: RotationSettings,
  now: number,
): readonly LeafSpec[] {
  return specs.filter((spec) => {
    const pair = held(spec)
    if (pair === undefined || isDue(pair.certificate, leaf, now)) return true
    return !pair.certificate.verify(ca.publicKey) || !namesFit(pair.certificate, spec)
  })
}

/**
 * The authorities to trust, newest first: the current one, and earlier ones until they end, since a peer may show a
 * leaf of theirs until it has read its new one.
 */
export function trustedBundle(ca: X509Certificate, trusted: readonly X509Certificate[], now: number): string {
  const earlier = trusted.filter((each) => each.fingerprint256 !== ca.fingerprint256 && each.ca && endOf(each) > now)
  const sorted = earlier.toSorted((a, b) => beginOf(b) - beginOf(a))
  return [ca, ...sorted].map((each) => each.toString()).join('')
}

/** Milliseconds until the next certificate is due. */
export function nextDueIn(
  pairs: readonly KeyPair[],
  ca: X509Certificate,
  settings: RotationSettings,
  now: number,
): number {
  const moments = [dueAt(ca, settings.ca), ...pairs.map(({ certificate }) => dueAt(certificate, settings.leaf))]
  return Math.max(0, Math.min(...moments) - now)
}

function isDue(certificate: X509Certificate, lifetime: Lifetime, now: number): boolean {
  return now >= dueAt(certificate, lifetime) || beginOf(certificate) > now
}

/** A certificate that was made for a shorter time than `renewBefore` is renewed in its last fifth. */
function dueAt(certificate: X509Certificate, { renewBefore }: Lifetime): number {
  const life = endOf(certificate) - beginOf(certificate)
  return endOf(certificate) - Math.min(renewBefore, life / 5)
}

function namesFit(certificate: X509Certificate, { commonName, dnsNames }: LeafSpec): boolean {
  const subject = certificate.subject.split('\n')
  const names = (certificate.subjectAltName ?? '').split(', ')
  return subject.includes(`CN=${commonName}`) && dnsNames.every((name) => names.includes(`DNS:${name}`))
}
