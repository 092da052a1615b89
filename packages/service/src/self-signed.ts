import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

/**
 * A certificate that nobody signed, for a year from now, with its key; PEM. It keeps what is sent secret, but tells
 * nobody who the server is.
 */
export function selfSigned(commonName: string): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(commonName)))))
  // It begins a little earlier, for clocks that differ.
  const validity = sequence(utcTime(Date.now() - hourMs), utcTime(Date.now() + yearMs))
  // A serial number is positive, so its first byte is small and not 0.
  const serial = der(0x02, Buffer.from([1]), randomBytes(15))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const signed = sequence(serial, ecdsaWithSha256, name, validity, name, spki)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const body = sequence(signed, ecdsaWithSha256, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'))

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function utcTime(time: number): Buffer {
  const text = new Date(time).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${text}Z`))
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content])
  if (length < 256) return Buffer.concat([Buffer.from([tag, 0x81, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 255]), content])
}
