/**
 * The few forms of DER (X.690) that a certificate is written in. Only writing: certificates are read by OpenSSL.
 * Why by hand: the usual library costs 16 MB of resident memory for as long as the process lives.
 */

const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

export const sequence = (...parts: readonly Buffer[]): Buffer => encode(tag.sequence, Buffer.concat(parts))
export const set = (...parts: readonly Buffer[]): Buffer => encode(tag.set, Buffer.concat(parts))
export const octetString = (content: Buffer): Buffer => encode(tag.octetString, content)
export const utf8String = (text: string): Buffer => encode(tag.utf8String, Buffer.from(text, 'utf8'))
export const boolean = (value: boolean): Buffer => encode(tag.boolean, Buffer.from([value ? 0xff : 0]))

/** A constructed `[number]` around whole values. */
export const explicit = (number: number, content: Buffer): Buffer => encode(0xa0 | number, content)

/** A primitive `[number]` in place of the value's own tag. */
export const implicit = (number: number, content: Buffer): Buffer => encode(0x80 | number, content)

/** An unsigned number, most significant byte first. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first)
  // A set first bit would make it negative.
  return encode(tag.integer, (digits[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), digits]) : digits)
}

/** Bytes with this many unused bits at the end. */
export function bitString(content: Buffer, unusedBits = 0): Buffer {
  return encode(tag.bitString, Buffer.concat([Buffer.from([unusedBits]), content]))
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encode(tag.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** RFC 5280: two digits of the year until 2049, four from then on; whole seconds. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  if (date.getUTCFullYear() < 2050) return encode(tag.utcTime, Buffer.from(digits.slice(2), 'latin1'))
  return encode(tag.generalizedTime, Buffer.from(digits, 'latin1'))
}

function base128(arc: number): number[] {
  const digits = [arc & 0x7f]
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

function encode(tagByte: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tagByte, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left & 0xff)
  return [0x80 | bytes.length, ...bytes]
}
