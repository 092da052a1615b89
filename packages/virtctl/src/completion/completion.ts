import { clusterFlags } from '../client/cluster-flags.ts'
import { CommandError } from '../command.ts'
import { commands } from '../commands.ts'
import type { CommandDefinition } from '../command.ts'

/** Prints what a shell needs to complete all commands. */
export const completion: CommandDefinition = {
  name: 'completion',
  arguments: [['shell', 'bash, zsh or fish']],
  summary: 'Print a script that completes commands and flags in a shell.',
  examples: [
    ['In bash, for this session:', 'completion bash > /tmp/virtctl && source /tmp/virtctl'],
    ['In fish, for all sessions:', 'completion fish > ~/.config/fish/completions/virtctl.fish'],
  ],
  run: async (_, [shell = '']) => {
    const all = await Promise.all(commands.map(({ load }) => load()))
    if (shell === 'bash') return bash(all)
    if (shell === 'zsh')
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(all)}`
    if (shell === 'fish') return fish(all)
    throw new CommandError(`completion for ${shell} is not known; use bash, zsh or fish`)
  },
}

const flagNames = ({ flags = [] }: Pick<CommandDefinition, 'flags'>) =>
  flags.flatMap(({ flags: text }) => /--[A-Za-z-]+/.exec(text) ?? [])

const globals = flagNames({ flags: clusterFlags })

/** First words, and the second ones below each. */
function tree(all: readonly CommandDefinition[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>()
  for (const { name } of all) {
    const [first = '', second] = name.split(' ')
    const below = words.get(first) ?? []
    words.set(first, second === undefined ? below : [...below, second])
  }
  return words
}

function bash(all: readonly CommandDefinition[]): string {
  const words = tree(all)
  const cases = all.map((command) => `    "${command.name}") words="${[...flagNames(command), '--help'].join(' ')}" ;;`)
  const below = [...words].flatMap(([first, seconds]) =>
    seconds.length > 0 ? [`    ${first}) below="${seconds.join(' ')}" ;;`] : [],
  )
  return [
    '_virtctl() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" words="" below=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${[...words.keys()].join(' ')}" -- "$current"))`,
    '    return',
    '  fi',
    '  case "$command" in',
    ...below,
    '  esac',
    '  if [ "$COMP_CWORD" -gt 2 ] && [ -n "$below" ]; then',
    '    case " $below " in *" ${COMP_WORDS[2]} "*) command="$command ${COMP_WORDS[2]}"; below="" ;; esac',
    '  fi',
    '  case "$command" in',
    ...cases,
    '  esac',
    `  COMPREPLY=($(compgen -W "$below $words ${globals.join(' ')}" -- "$current"))`,
    '}',
    'complete -o default -F _virtctl virtctl',
  ].join('\n')
}

const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

function fish(all: readonly CommandDefinition[]): string {
  const lines = all.flatMap(({ name, summary, flags = [] }) => {
    const [first = '', second] = name.split(' ')
    const place = second === undefined ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${first}`
    const word = `complete -c virtctl -f -n ${quoted(place)} -a ${second ?? first} -d ${quoted(summary)}`
    const options = flags.flatMap(({ flags: text, help }) => {
      const [, long] = /--([A-Za-z-]+)/.exec(text) ?? []
      return long
        ? [
            `complete -c virtctl -n ${quoted(`__fish_seen_subcommand_from ${second ?? first}`)} -l ${long} -d ${quoted(help)}`,
          ]
        : []
    })
    return [word, ...options]
  })
  return lines.join('\n')
}
