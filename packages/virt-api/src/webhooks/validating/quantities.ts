import { parseMilli, parseQuantity } from '@kubevirt-ts/api'
import type { Quantity } from '@kubevirt-ts/api'

const tried = (parse: (quantity: Quantity) => bigint, quantity: Quantity | undefined): bigint | undefined => {
  if (quantity === undefined) return undefined
  try {
    return parse(quantity)
  } catch {
    return undefined
  }
}

/** Bytes of a quantity; undefined when it is absent or not one. */
export const bytes = (quantity: Quantity | undefined): bigint | undefined => tried(parseQuantity, quantity)

/** Thousandths of a quantity; undefined when it is absent or not one. */
export const milli = (quantity: Quantity | undefined): bigint | undefined => tried(parseMilli, quantity)
