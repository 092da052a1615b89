import { X509Certificate, createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts'
import { endOf } from './held.ts'
import type { KeyPair } from './held.ts'
import type { LeafSpec } from './inventory.ts'

/** Clocks of nodes differ a little: a fresh certificate must not look as if it came from the future. */
const backdateMs = 60_000

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'))

/** A new certificate with its private key, both PEM. */
export interface SignedPair {
  readonly cert: string
  readonly key: string
}

/** Everything in a certificate but its signature. */
interface Content {
  readonly subject: string
  readonly issuer: string
  readonly begin: number
  readonly end: number
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
}

/** A new authority that signs itself. Its name carries the time, so that two in one bundle can be told apart. */
export function newAuthority(durationMs: number, now: number): SignedPair {
  const { publicKey, privateKey } = newKeys()
  const name = `kubevirt.io@${Math.floor(now / 1000)}`
  const content = {
    subject: name,
    issuer: name,
    begin: now - backdateMs,
    end: now + durationMs,
    publicKey,
    extensions: [basicConstraints(true), keyUsage.authority, subjectKeyId(publicKey)],
  }
  return signed(content, privateKey, privateKey)
}

/** A leaf for the spec, signed by the authority; it never outlives it. */
export function newLeaf(spec: LeafSpec, ca: KeyPair, durationMs: number, now: number): SignedPair {
  const { publicKey, privateKey } = newKeys()
  const content = {
    subject: spec.commonName,
    issuer: commonName(ca.certificate),
    begin: now - backdateMs,
    end: Math.min(now + durationMs, endOf(ca.certificate)),
    publicKey,
    extensions: [
      basicConstraints(false),
      keyUsage.leaf,
      extendedKeyUsage(spec.usages),
      authorityKeyId(ca.certificate.publicKey),
      subjectKeyId(publicKey),
      ...(spec.dnsNames.length === 0 ? [] : [subjectAltName(spec.dnsNames)]),
    ],
  }
  return signed(content, privateKey, createPrivateKey(ca.key))
}

function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** RFC 5280, section 4.1; what was made is read back, so that a certificate OpenSSL refuses is never handed out. */
function signed(content: Content, privateKey: KeyObject, signer: KeyObject): SignedPair {
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ecdsaWithSha256,
    distinguishedName(content.issuer),
    sequence(time(new Date(content.begin)), time(new Date(content.end))),
    distinguishedName(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...content.extensions)),
  )
  const certificate = new X509Certificate(sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, signer))))
  return { cert: certificate.toString(), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
}

function distinguishedName(name: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), utf8String(name))))
}

/** Of a certificate made here: its subject is a common name alone. */
function commonName({ subject }: X509Certificate): string {
  return subject.replace(/^CN=/, '')
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value))
}

function basicConstraints(isAuthority: boolean): Buffer {
  return extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true)
}

/** Bits are counted from the left: 0 digitalSignature, 5 keyCertSign. */
const keyUsage = {
  authority: extension('2.5.29.15', bitString(Buffer.from([0b1000_0100]), 2), true),
  leaf: extension('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7), true),
}

function extendedKeyUsage(usages: LeafSpec['usages']): Buffer {
  const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' }
  return extension('2.5.29.37', sequence(...usages.map((usage) => oid(purposes[usage]))))
}

function subjectAltName(dnsNames: readonly string[]): Buffer {
  return extension('2.5.29.17', sequence(...dnsNames.map((name) => implicit(2, Buffer.from(name, 'latin1')))))
}

function subjectKeyId(key: KeyObject): Buffer {
  return extension('2.5.29.14', octetString(keyId(key)))
}

function authorityKeyId(key: KeyObject): Buffer {
  return extension('2.5.29.35', sequence(implicit(0, keyId(key))))
}

/** The last 65 bytes of a P-256 key's encoding are its point. */
function keyId(key: KeyObject): Buffer {
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha1').update(point).digest()
}
