import 'reflect-metadata'
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { endOf } from './held.ts'
import type { KeyPair } from './held.ts'
import type { LeafSpec } from './inventory.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Clocks of nodes differ a little: a fresh certificate must not look as if it came from the future. */
const backdateMs = 60_000

/** A new certificate with its private key, both PEM. */
export interface SignedPair {
  readonly cert: string
  readonly key: string
}

/** A new authority that signs itself. Its name carries the time, so that two in one bundle can be told apart. */
export async function newAuthority(durationMs: number, now: number): Promise<SignedPair> {
  const keys = await newKeys()
  const name = [{ CN: [`kubevirt.io@${Math.floor(now / 1000)}`] }]
  const certificate = await x509.X509CertificateGenerator.create(
    {
      ...basics(durationMs, now),
      subject: name,
      issuer: name,
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto as never),
      ],
    },
    webcrypto as never,
  )
  return { cert: pem(certificate), key: await keyPem(keys.privateKey) }
}

/** A leaf for the spec, signed by the authority; it never outlives it. */
export async function newLeaf(spec: LeafSpec, ca: KeyPair, durationMs: number, now: number): Promise<SignedPair> {
  const keys = await newKeys()
  const issuer = new x509.X509Certificate(ca.cert)
  const certificate = await x509.X509CertificateGenerator.create(
    {
      ...basics(Math.min(durationMs, endOf(ca.certificate) - now), now),
      subject: [{ CN: [spec.commonName] }],
      issuer: issuer.subjectName.toJSON(),
      publicKey: keys.publicKey,
      signingKey: await signingKey(ca),
      extensions: await leafExtensions(spec, keys.publicKey, issuer),
    },
    webcrypto as never,
  )
  return { cert: pem(certificate), key: await keyPem(keys.privateKey) }
}

async function leafExtensions(
  { usages, dnsNames }: LeafSpec,
  publicKey: webcrypto.CryptoKey,
  issuer: x509.X509Certificate,
): Promise<x509.Extension[]> {
  const purposes = { server: x509.ExtendedKeyUsage.serverAuth, client: x509.ExtendedKeyUsage.clientAuth }
  const names = dnsNames.map((value) => ({ type: 'dns' as const, value }))
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension(usages.map((usage) => purposes[usage])),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto as never),
    await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto as never),
    ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
  ]
}

function basics(
  durationMs: number,
  now: number,
): {
  serialNumber: string
  notBefore: Date
  notAfter: Date
  signingAlgorithm: typeof algorithm
} {
  return {
    // Positive, as RFC 5280 wants it: the first bit is cleared.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + durationMs),
    signingAlgorithm: algorithm,
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function signingKey({ key }: KeyPair): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type: 'pkcs8', format: 'pem' }) as string
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`
}
