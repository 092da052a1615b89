import { parseMilli, parseQuantity, type Quantity } from '@kubevirt-ts/api'

const maxKnown = 10_000
const units = new Map<Quantity, number>()
const milli = new Map<Quantity, number>()

/**
 * Whole units as a number. Amounts beyond 2^53 lose their last digits, which no node is large enough to notice.
 * A cluster has few different amounts, so each is read once. What is no quantity counts as 0.
 */
export function unitsOf(quantity: Quantity): number {
  return remembered(units, quantity, parseQuantity)
}

export function milliOf(quantity: Quantity): number {
  return remembered(milli, quantity, parseMilli)
}

function remembered(known: Map<Quantity, number>, quantity: Quantity, parse: (quantity: Quantity) => bigint): number {
  const value = known.get(quantity)
  if (value !== undefined) return value
  if (known.size >= maxKnown) known.clear()
  const parsed = parsedOrZero(quantity, parse)
  known.set(quantity, parsed)
  return parsed
}

function parsedOrZero(quantity: Quantity, parse: (quantity: Quantity) => bigint): number {
  try {
    return Number(parse(quantity))
  } catch {
    return 0
  }
}
