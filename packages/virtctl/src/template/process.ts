import { virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { CommandContext, CommandDefinition, FlagValues } from '../command.ts'
import { pairs, repeated, textOf, textsOf } from '../flags.ts'
import { outputFlag, printed } from '../output.ts'
import { valuesOf } from './parameters.ts'
import type { Parameter } from './parameters.ts'
import { chosen, readTemplate, readYaml, sourceFlags } from './source.ts'
import { inText, substituted } from './substitute.ts'
import type { Values } from './substitute.ts'

interface Template {
  readonly spec?: {
    readonly virtualMachine?: { readonly metadata?: { readonly namespace?: string } }
    readonly parameters?: readonly Parameter[]
    readonly message?: string
  }
}

/** Of KubeVirt's add-on virt-template. */
const served = {
  group: 'template.kubevirt.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'virtualmachinetemplates',
} as const

export const processTemplate: CommandDefinition = {
  name: 'template process',
  arguments: [['[name]', 'name of a VirtualMachineTemplate in the cluster']],
  summary: 'Print, or create, the virtual machine that a template describes.',
  examples: [
    ['Process a template in a file:', 'template process -f template.yaml -p NAME=myvm | kubectl create -f -'],
    ['Print what it can be told:', 'template process -f template.yaml --print-params'],
    ['Create a machine by a template in the cluster:', 'template process fedora -p NAME=myvm --create'],
  ],
  flags: [
    ...sourceFlags,
    { flags: '-p, --param <pair>', help: 'NAME=VALUE of a parameter; may be given more than once', parse: repeated },
    { flags: '--params-file <file>', help: 'file with values by name, in YAML or JSON' },
    { flags: '--local', help: 'accepted for compatibility: templates are processed here', default: false },
    { flags: '--create', help: 'create the machine in the cluster instead of printing it', default: false },
    { flags: '--print-params', help: 'print only what the template can be told', default: false },
    outputFlag('yaml'),
  ],
  run: async (context, [argument], flags) => {
    const source = chosen(argument, flags)
    refuseTogether(flags)
    const { spec = {} } = (await readTemplate(context, source, served)) as Template
    if (flags['printParams'] === true) return printed(spec.parameters ?? [], flags)
    const values = valuesOf(spec.parameters ?? [], await givenValues(context, flags))
    const vm = machineOf(spec, values)
    const message = inText(spec.message ?? '', values)
    if (flags['create'] === true) return [await created(context, vm), message].filter(Boolean).join('\n')
    if (message) context.terminal.stderr.write(`${message.trimEnd()}\n`)
    return printed(vm, flags)
  },
}

const exclusive = [
  ['file', 'local'],
  ['param', 'paramsFile'],
  ['create', 'file'],
  ['create', 'local'],
  ['create', 'printParams'],
] as const

const written: Readonly<Record<string, string>> = { paramsFile: 'params-file', printParams: 'print-params' }

function refuseTogether(flags: FlagValues): void {
  for (const pair of exclusive) {
    if (!pair.every((name) => flags[name] !== undefined && flags[name] !== false)) continue
    const names = pair.map((name) => `--${written[name] ?? name}`)
    throw new CommandError(`${names.join(' and ')} can not be given together`)
  }
}

async function givenValues(context: CommandContext, flags: FlagValues): Promise<Record<string, string>> {
  const file = textOf(flags, 'paramsFile')
  if (file === undefined) return Object.assign({}, ...textsOf(flags, 'param').map(pairs)) as Record<string, string>
  const value = (await readYaml(file, context)) ?? {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new CommandError(`${file}: values by name are needed, such as NAME: myvm`)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]))
}

/** A namespace that is written out does not count: the user says where the machine shall be. */
function machineOf({ virtualMachine }: NonNullable<Template['spec']>, values: Values): VirtualMachine {
  if (typeof virtualMachine !== 'object' || Object.keys(virtualMachine).length === 0)
    throw new CommandError('spec.virtualMachine is required and cannot be empty')
  const { namespace, ...metadata } = virtualMachine.metadata ?? {}
  const kept = { ...metadata, ...(namespace?.includes('${') && { namespace }) }
  const machine = substituted({ ...virtualMachine, metadata: kept }, values) as object
  return { ...machine, apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' } as VirtualMachine
}

async function created({ cluster }: CommandContext, vm: VirtualMachine): Promise<string> {
  const { client, namespace } = await cluster()
  const metadata = { namespace, ...vm.metadata }
  const { metadata: stored } = await client.create(virtualMachines, { ...vm, metadata }).catch((error: Error) => {
    throw new CommandError(`error creating VirtualMachine from the template: ${error.message}`)
  })
  return `virtualmachine.kubevirt.io/${stored.name} created`
}
