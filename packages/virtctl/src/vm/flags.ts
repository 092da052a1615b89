import { CommandError } from '../command.ts'
import type { Flag, FlagValues } from '../command.ts'

export const dryRunFlag: Flag = {
  flags: '--dry-run',
  help: 'only ask whether the server would do it',
  default: false,
}

/** The options' field that asks the server to change nothing. */
export const dryRunOption = (flags: FlagValues): { dryRun?: string[] } => (flags['dryRun'] ? { dryRun: ['All'] } : {})

/** Says first when nothing was really done. */
export const announced = (flags: FlagValues, line: string): string =>
  flags['dryRun'] ? `Dry Run execution\n${line}` : line

export const forceFlags: readonly Flag[] = [
  { flags: '--force', help: 'shut the guest down at once; needs --grace-period', default: false },
  {
    flags: '--grace-period <seconds>',
    help: 'time the guest has to shut down; needs --force',
    default: -1,
    parse: seconds,
  },
]

function seconds(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new CommandError(`--grace-period: ${text} is not a number of seconds`)
  return Number(text)
}

/** The grace period of a forced shutdown. Throws when only one of the two flags is given. */
export function forcedGracePeriod(flags: FlagValues): number | undefined {
  const given = (flags['gracePeriod'] as number) >= 0
  if (given !== Boolean(flags['force'])) {
    throw new CommandError('Must both use --force=true and set --grace-period.')
  }
  return given ? (flags['gracePeriod'] as number) : undefined
}
