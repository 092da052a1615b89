import { randomBytes } from 'node:crypto'

const letters = 'bcdfghjklmnpqrstvwxz2456789'

/** A short part of a name, with no vowels that could make words. */
export const suffix = (length = 5): string =>
  Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join('')
