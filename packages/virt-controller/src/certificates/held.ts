import { X509Certificate, createPrivateKey } from 'node:crypto'
import type { Secret } from '@kubevirt-ts/api'

/** A certificate with its private key, both PEM, that fit together. */
export interface KeyPair {
  readonly certificate: X509Certificate
  readonly cert: string
  readonly key: string
}

/** The pair in a TLS Secret, or undefined where it is missing, broken or does not fit together. */
export function keyPairOf(secret: Secret | undefined): KeyPair | undefined {
  const cert = decoded(secret, 'tls.crt')
  const key = decoded(secret, 'tls.key')
  if (cert === undefined || key === undefined) return undefined
  try {
    const certificate = new X509Certificate(cert)
    return certificate.checkPrivateKey(createPrivateKey(key)) ? { certificate, cert, key } : undefined
  } catch {
    return undefined
  }
}

function decoded(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}

/** The certificates of a bundle; what is no certificate is left out. */
export function certificatesOf(bundle: string | undefined): X509Certificate[] {
  const blocks = bundle?.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)]
    } catch {
      return []
    }
  })
}

export const endOf = (certificate: X509Certificate): number => certificate.validToDate.getTime()
export const beginOf = (certificate: X509Certificate): number => certificate.validFromDate.getTime()
