import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { outputFlag, printed } from '../output.ts'
import type { Parameter } from './parameters.ts'
import { chosen, readTemplate, sourceFlags } from './source.ts'

interface OpenShiftTemplate {
  readonly metadata?: {
    readonly name?: string
    readonly namespace?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly message?: string
  readonly objects?: readonly object[]
  readonly parameters?: readonly Parameter[]
}

const served = { group: 'template.openshift.io', versions: ['v1'], plural: 'templates' } as const

export const convertTemplate: CommandDefinition = {
  name: 'template convert',
  arguments: [['[name]', 'name of a Template of OpenShift in the cluster']],
  summary: 'Print a Template of OpenShift as a VirtualMachineTemplate.',
  examples: [['Convert a template in a file:', 'template convert -f openshift.yaml > template.yaml']],
  flags: [...sourceFlags, outputFlag('yaml')],
  run: async (context, [argument], flags) =>
    printed(converted((await readTemplate(context, chosen(argument, flags), served)) as OpenShiftTemplate), flags),
}

function converted({ metadata = {}, message, objects = [], parameters }: OpenShiftTemplate): object {
  if (objects.length !== 1)
    throw new CommandError(
      `template must contain exactly one object, found ${objects.length}: leave only the virtual machine in it`,
    )
  const { name, namespace, labels, annotations } = metadata
  return {
    apiVersion: 'template.kubevirt.io/v1beta1',
    kind: 'VirtualMachineTemplate',
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: { ...(parameters && { parameters }), ...(message && { message }), virtualMachine: objects[0] },
  }
}
