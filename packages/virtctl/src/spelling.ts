import { truthOf } from '@kubevirt-ts/api'
import type { Flag } from './command.ts'

/**
 * A command line in commander's spelling. The original's library also takes `--force=true` for a switch and `-n=there` for
 * a short flag with a value. What is another flag's value, or stands behind `--`, stays as it is.
 */
export function plainSpelling(argv: readonly string[], flags: readonly Flag[]): string[] {
  const spellings = new Map(flags.flatMap((flag) => namesOf(flag).map((name) => [name, flag] as const)))
  const plain: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    if (argument === '--') return [...plain, ...argv.slice(at)]
    const equals = argument.indexOf('=')
    const flag = spellings.get(equals < 0 ? argument : argument.slice(0, equals))
    if (flag === undefined) plain.push(argument)
    else if (equals >= 0) plain.push(...spelled(flag, argument, argument.slice(equals + 1)))
    else plain.push(argument, ...(flag.flags.includes('<') ? argv.slice(++at, at + 1) : []))
  }
  return plain
}

const namesOf = ({ flags }: Flag): string[] => flags.match(/--?[A-Za-z][\w-]*/g) ?? []

function spelled(flag: Flag, argument: string, value: string): string[] {
  const long = namesOf(flag).find((name) => name.startsWith('--')) ?? ''
  if (/[<[]/.test(flag.flags)) return [`${long}=${value}`]
  const truth = truthOf(value)
  if (truth === undefined) return [argument]
  return truth ? [long] : []
}
