import { kubeVirts } from '@kubevirt-ts/api'
import type { LogVerbosity } from '@kubevirt-ts/api'
import { fetchKubeVirt } from '../client/kubevirt.ts'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition, FlagValues } from '../command.ts'

/** Components by their flag, with the field of the KubeVirt resource. */
const components = {
  'virt-api': 'virtAPI',
  'virt-controller': 'virtController',
  'virt-handler': 'virtHandler',
  'virt-launcher': 'virtLauncher',
  'virt-operator': 'virtOperator',
} as const

type Component = keyof typeof components

const names = Object.keys(components) as Component[]
const usual = 2
const path = '/spec/configuration/developerConfiguration/logVerbosity'

const camelCase = (name: string) => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

export const logVerbosity: CommandDefinition = {
  name: 'adm log-verbosity',
  summary: 'Show, set or reset how much the components log.',
  examples: [
    ['Show all levels:', 'adm log-verbosity --all'],
    ['Show one:', 'adm log-verbosity --virt-handler'],
    ['Set one to 5 and all others to 3:', 'adm log-verbosity --all=3 --virt-handler=5'],
    ['Go back to the usual level:', 'adm log-verbosity --reset'],
  ],
  flags: [
    ...names.map((name) => ({ flags: `--${name} [level]`, help: `show, or set to 0 to 9, the level of ${name}` })),
    { flags: '--all [level]', help: 'show, or set, all levels' },
    { flags: '--reset', help: 'set all levels, but those set here, to the usual', default: false },
  ],
  run: async ({ cluster }, _, flags) => {
    const wishes = new Map(names.map((name) => [name, wishOf(flags, name)]))
    const all = wishOf(flags, 'all')
    const given = [...wishes.values(), all].filter((wish) => wish !== undefined)
    const sets = given.filter((wish) => typeof wish === 'number')
    if (given.length === 0 && flags['reset'] !== true)
      throw new CommandError('no flag specified - expecting at least one flag')
    if (sets.length > 0 && sets.length < given.length) {
      throw new CommandError('only show or set is allowed: give all flags a level, or none')
    }
    const connected = await cluster()
    const { metadata, spec } = await fetchKubeVirt(connected)
    const current = spec.configuration?.developerConfiguration?.logVerbosity
    if (sets.length === 0 && flags['reset'] !== true) {
      const shown = names.filter((name) => all !== undefined || wishes.get(name) !== undefined)
      return shown.map((name) => `${name} = ${current?.[components[name]] ?? usual}`).join('\n')
    }
    const changes = names.flatMap((name) => {
      const level = wishes.get(name) ?? all
      return typeof level === 'number' ? [[components[name], level] as const] : []
    })
    const start = flags['reset'] === true ? {} : current
    await save(connected, metadata, current, { ...start, ...Object.fromEntries(changes) })
    return 'successfully set/reset the log verbosity'
  },
}

/** A level to set, `show` when the flag has none, undefined when it was not given. */
function wishOf(flags: FlagValues, name: string): number | 'show' | undefined {
  const value = flags[camelCase(name)]
  if (value === undefined) return undefined
  if (value === true) return 'show'
  const text = value as string
  if (/^\d$/.test(text)) return Number(text)
  throw new CommandError(`${name}: log verbosity must be 0-9, not ${text}`)
}

async function save(
  { client }: Cluster,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
  old: LogVerbosity | undefined,
  next: LogVerbosity,
): Promise<void> {
  const reference = { ...(namespace && { namespace }), name }
  const body = old
    ? {
        patch: [
          { op: 'test', path, value: old },
          { op: 'replace', path, value: next },
        ],
        type: 'json' as const,
      }
    : { patch: { spec: { configuration: { developerConfiguration: { logVerbosity: next } } } }, type: 'merge' as const }
  await client.patch(kubeVirts, reference, body.patch, { type: body.type }).catch((error: Error) => {
    throw new CommandError(`failed to patch KubeVirt CR: ${error.message}`)
  })
}
