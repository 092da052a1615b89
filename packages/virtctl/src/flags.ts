import { CommandError } from './command.ts'
import type { FlagValues } from './command.ts'

/** Collects what a flag is given each time. */
export const repeated = (text: string, before: unknown): string[] => [...((before as string[] | undefined) ?? []), text]

/** The text of a flag; undefined when it was not given or is empty. */
export const textOf = (flags: FlagValues, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** All that a flag was given. */
export const textsOf = (flags: FlagValues, name: string): readonly string[] =>
  (flags[name] as string[] | undefined) ?? []

/** The text of a flag that a command can not do without; `flag` is how the user writes it. */
export function neededText(flags: FlagValues, name: string, flag: string): string {
  const text = textOf(flags, name)
  if (text === undefined) throw new CommandError(`required flag(s) "${flag}" not set`)
  return text
}

/** Reads `key=value,key=value`. */
export function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CommandError(`${pair} can not be read; write KEY=VALUE`)
      return [pair.slice(0, at), pair.slice(at + 1)] as const
    }),
  )
}

/** Reads `key:value,key:value` as the flags for volumes have it; only the keys in `known` may be used. */
export function parameters(text: string, known: readonly string[], flag: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const at = part.indexOf(':')
      const key = part.slice(0, at).trim()
      if (at < 1 || !known.includes(key)) {
        throw new CommandError(
          `failed to parse "--${flag}" flag: ${part} is not known; use ${known.join(', ')} as KEY:VALUE`,
        )
      }
      return [key, part.slice(at + 1)] as const
    }),
  )
}

export function wholeNumber(flag: string): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text)) return Number(text)
    throw new CommandError(`${flag}: ${text} is not a whole number`)
  }
}

/** For switches that are on unless told: `--infer-x=false`. */
export const truth = (text: string): boolean => text !== 'false'
