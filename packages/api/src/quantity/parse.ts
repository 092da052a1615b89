import type { Quantity } from './quantity.ts'

export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** A quantity as an exact number of billionths, and the family of suffixes that it was written with. */
export interface ParsedQuantity {
  readonly nanos: bigint
  readonly format: QuantityFormat
}

const nano = 1_000_000_000n
const largest = 2n ** 63n - 1n
/** Decimal numbers of more digits are cut to the largest amount, like all binary ones. */
const exactDigits = 18

const binarySuffixes: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
}

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}

const syntax = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d{1,3}))?$/

/**
 * Reads a quantity as Kubernetes does. What is finer than a billionth is rounded away from zero. What is beyond
 * 2^63-1 is cut to it, except for short decimal numbers such as 12E. Throws when the text is no quantity.
 */
export function parseExact(quantity: Quantity): ParsedQuantity {
  const text = String(quantity)
  const match = syntax.exec(text)
  if (!match)
    throw new Error(`"${text}" is not a quantity; write a number with an optional suffix, such as 512Mi, 2G or 100m`)
  const [, sign, number = '', suffix = '', exponent] = match
  const [whole = '', fraction = ''] = number.split('.')
  const digits = BigInt(whole + fraction)
  const exact = scale(digits, fraction.length, suffix, exponent)
  const isCut = suffix in binarySuffixes || whole.length + fraction.length > exactDigits
  const magnitude = isCut ? clamp(exact, largest * nano) : exact
  const value = sign === '-' ? -magnitude : magnitude
  return { nanos: value, format: formatOf(suffix, exponent, magnitude) }
}

function scale(digits: bigint, fractionDigits: number, suffix: string, exponent: string | undefined): bigint {
  const binary = binarySuffixes[suffix]
  if (binary !== undefined) return roundUp(digits * binary * nano, 10n ** BigInt(fractionDigits))
  const power = (exponent === undefined ? (decimalSuffixes[suffix] ?? 0) : Number(exponent)) + 9 - fractionDigits
  return power >= 0 ? digits * 10n ** BigInt(power) : roundUp(digits, 10n ** BigInt(-power))
}

/** A positive amount below one has no binary form, so that it is not rounded. */
function formatOf(suffix: string, exponent: string | undefined, magnitude: bigint): QuantityFormat {
  if (exponent !== undefined) return 'DecimalExponent'
  return suffix in binarySuffixes && (magnitude === 0n || magnitude >= nano) ? 'BinarySI' : 'DecimalSI'
}

function clamp(magnitude: bigint, limit: bigint): bigint {
  return magnitude > limit ? limit : magnitude
}

/** Division of a number that is not negative, rounded up. */
function roundUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

function awayFromZero(nanos: bigint, unit: bigint): bigint {
  return nanos < 0n ? -clamp(roundUp(-nanos, unit), largest) : clamp(roundUp(nanos, unit), largest)
}

/** Whole units (bytes, CPUs), rounded away from zero, within 64 bits. Throws when the text is no quantity. */
export function parseQuantity(quantity: Quantity): bigint {
  return awayFromZero(parseExact(quantity).nanos, nano)
}

/** Thousandths (milli-CPUs), rounded away from zero, within 64 bits. Throws when the text is no quantity. */
export function parseMilli(quantity: Quantity): bigint {
  return awayFromZero(parseExact(quantity).nanos, 1_000_000n)
}

/** Whether a text or number can be read as a quantity. */
export function isQuantity(value: unknown): value is Quantity {
  return (typeof value === 'string' || typeof value === 'number') && syntax.test(String(value))
}

/** Negative when `a` is less than `b`, positive when it is more, 0 when both are the same amount. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const difference = parseExact(a).nanos - parseExact(b).nanos
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}
