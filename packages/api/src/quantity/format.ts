import { parseExact, type ParsedQuantity, type QuantityFormat } from './parse.ts'
import type { Quantity } from './quantity.ts'

const nano = 1_000_000_000n
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/**
 * Whole units in the canonical form of Kubernetes: the largest suffix that keeps the number whole.
 * 1073741824 is `1Gi`, or `1073741824` as DecimalSI.
 */
export function formatQuantity(units: bigint, format: QuantityFormat = 'BinarySI'): string {
  return canonicalText({ nanos: units * nano, format })
}

/** Thousandths in canonical form: 100 is `100m`, 2000 is `2`. */
export function formatMilli(thousandths: bigint): string {
  return canonicalText({ nanos: thousandths * 1_000_000n, format: 'DecimalSI' })
}

/** Another way to write the same amount: as Kubernetes prints it, in the family of suffixes it was given in. */
export function canonicalQuantity(quantity: Quantity): string {
  return canonicalText(parseExact(quantity))
}

function canonicalText({ nanos, format }: ParsedQuantity): string {
  const sign = nanos < 0n ? '-' : ''
  const magnitude = nanos < 0n ? -nanos : nanos
  if (magnitude === 0n) return '0'
  if (format === 'BinarySI' && magnitude >= 1024n * nano) return sign + binaryText((magnitude + nano - 1n) / nano)
  return sign + decimalText(magnitude, format === 'DecimalExponent')
}

function binaryText(units: bigint): string {
  const [mantissa, times] = withoutFactor(units, 1024n, binarySuffixes.length - 1)
  return `${mantissa}${binarySuffixes[times]}`
}

function decimalText(nanos: bigint, asExponent: boolean): string {
  const [mantissa, times] = withoutFactor(nanos, 1000n, decimalSuffixes.length - 1)
  if (!asExponent) return `${mantissa}${decimalSuffixes[times]}`
  const exponent = times * 3 - 9
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`
}

/** Divides by a factor as often as it goes without rest, at most `limit` times. */
function withoutFactor(number: bigint, factor: bigint, limit: number): [mantissa: bigint, times: number] {
  let times = 0
  while (times < limit && number % factor === 0n) {
    number /= factor
    times += 1
  }
  return [number, times]
}
