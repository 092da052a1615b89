import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Terminal } from './terminal.ts'

/** A flag in commander's notation, such as `--timeout <minutes>`. */
export interface Flag {
  readonly flags: string
  readonly help: string
  readonly default?: string | number | boolean
  /** Reads what was written; `before` is what the same flag, given more than once, made so far. */
  readonly parse?: (text: string, before: unknown) => unknown
}

/** What a command prints: lines as they are, or nothing because it talked to the terminal itself. */
export type Output = string | undefined

export interface Cluster {
  readonly client: KubeClient
  /** Where objects are looked for when no namespace is named. */
  readonly namespace: string
}

export interface CommandContext {
  /** Connects with the global flags; a command that needs no cluster never asks. */
  readonly cluster: () => Promise<Cluster>
  readonly terminal: Terminal
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal
}

export type FlagValues = Readonly<Record<string, unknown>>

/** A command as data: what it is called, what it takes, what it does. */
export interface CommandDefinition {
  /** One word, or two for a command below a group, such as `create vm`. */
  readonly name: string
  /** Positional arguments by name; one in brackets, such as `[vmi]`, may be left out. */
  readonly arguments?: readonly (readonly [name: string, help: string])[]
  readonly summary: string
  /** Complete command lines with what they do; the program's name is put before each. */
  readonly examples: readonly (readonly [does: string, line: string])[]
  readonly flags?: readonly Flag[]
  /** Whether it takes any arguments and flags, known or not. */
  readonly anything?: boolean
  readonly run: (context: CommandContext, args: readonly string[], flags: FlagValues) => Promise<Output>
}

/** A failure that is told to the user as it is, without a stack. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
