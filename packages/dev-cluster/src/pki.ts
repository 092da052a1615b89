import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const year = 365 * 24 * 3600 * 1000

/** Whom a certificate is for. */
export type Subject = {
  readonly commonName: string
  readonly organization?: string
  /** Addresses and names of a server; a certificate without any is a client's. */
  readonly hosts?: readonly string[]
}

/** Paths of a certificate and its key. */
export type CertificateFiles = { readonly certificate: string; readonly key: string }

export const certificateFiles = (folder: string, name: string): CertificateFiles => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
})

/** Makes an authority unless its files are there. */
export async function ensureAuthority(folder: string, name: string): Promise<void> {
  const files = certificateFiles(folder, name)
  if (existsSync(files.certificate)) return
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=kubevirt-ts ${name}`,
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  await write(files, certificate, keys.privateKey)
}

/** Makes a certificate signed by an authority unless its files are there. */
export async function ensureCertificate(
  folder: string,
  name: string,
  authority: string,
  subject: Subject,
): Promise<void> {
  const files = certificateFiles(folder, name)
  if (existsSync(files.certificate)) return
  const issuer = await loadAuthority(certificateFiles(folder, authority))
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: subjectName(subject),
    issuer: issuer.certificate.subject,
    ...validity(),
    signingKey: issuer.key,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
      ...(subject.hosts ? [new x509.SubjectAlternativeNameExtension(subject.hosts.map(alternativeName))] : []),
    ],
  })
  await write(files, certificate, keys.privateKey)
}

/** Makes the key pair that signs service account tokens unless it is there. */
export async function ensureKeyPair(folder: string, name: string): Promise<void> {
  const file = join(folder, `${name}.key`)
  if (existsSync(file)) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  await writeWhole(join(folder, `${name}.pub`), await publicPem(keys.publicKey))
  await writeWhole(file, await privatePem(keys.privateKey))
}

const alternativeName = (host: string): x509.JsonGeneralName => ({ type: isIP(host) ? 'ip' : 'dns', value: host })

const subjectName = ({ commonName, organization }: Subject): x509.JsonName => [
  ...(organization ? [{ O: [organization] }] : []),
  { CN: [commonName] },
]

// The start lies a little in the past, for clocks that differ.
const validity = () => ({ notBefore: new Date(Date.now() - 300_000), notAfter: new Date(Date.now() + 10 * year) })

function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  // A serial number is positive, so its first bit is 0.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return Buffer.from(bytes).toString('hex')
}

async function loadAuthority(files: CertificateFiles) {
  const key = x509.PemConverter.decodeFirst(await readFile(files.key, 'utf8'))
  return {
    certificate: new x509.X509Certificate(await readFile(files.certificate, 'utf8')),
    key: await crypto.subtle.importKey('pkcs8', key, algorithm, false, ['sign']),
  }
}

const privatePem = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`

const publicPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await crypto.subtle.exportKey('spki', key), 'PUBLIC KEY')}\n`

async function write(
  files: CertificateFiles,
  certificate: x509.X509Certificate,
  key: webcrypto.CryptoKey,
): Promise<void> {
  await mkdir(join(files.key, '..'), { recursive: true, mode: 0o700 })
  await writeWhole(files.key, await privatePem(key))
  await writeWhole(files.certificate, `${certificate.toString('pem')}\n`)
}

// A file that is there is whole, also after an interruption.
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.partial`, text, { mode: 0o600 })
  await rename(`${path}.partial`, path)
}

/** A kubeconfig that holds its certificates itself, so it can be copied elsewhere. */
export function renderKubeconfig(folder: string, user: string, server: string, cluster: string): string {
  const data = (path: string) => readFileSync(path).toString('base64')
  const files = certificateFiles(folder, user)
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': data(join(folder, 'ca.crt')) } }],
      users: [
        {
          name: user,
          user: { 'client-certificate-data': data(files.certificate), 'client-key-data': data(files.key) },
        },
      ],
      contexts: [{ name: cluster, context: { cluster, user } }],
      'current-context': cluster,
    },
    undefined,
    2,
  )}\n`
}
