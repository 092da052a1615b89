import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'

/** The exit code of `virt-render` for what is not admitted. */
const refused = 2

/** The only command that brings the product's own code along, so it loads that when it is asked for. */
export const render: CommandDefinition = {
  name: 'render',
  arguments: [['file', 'manifest with one VirtualMachine or VirtualMachineInstance; - is standard input']],
  summary: 'Print what a virtual machine becomes, without a cluster.',
  examples: [
    ["Print the libvirt domain of the machine in 'vm.yaml':", 'render vm.yaml --output domain'],
    [
      'Say why it would be refused, with the settings of a cluster:',
      'render vm.yaml -o admission --kubevirt kubevirt.yaml',
    ],
  ],
  flags: [
    { flags: '-o, --output <what>', help: 'mutated, admission, pod or domain', default: 'mutated' },
    { flags: '--kubevirt <file>', help: 'the KubeVirt resource or its spec.configuration' },
    { flags: '--objects <file>', help: 'claims, network definitions and whatever else the machine refers to' },
  ],
  run: async ({ terminal }, [file = ''], flags) => {
    const { isOutput, outputs, renderFiles } = await import('@kubevirt-ts/render')
    const [output, kubevirt, objects] = ['output', 'kubevirt', 'objects'].map(
      (name) => flags[name] as string | undefined,
    )
    if (!isOutput(output)) throw new CommandError(`--output must be one of ${outputs.join(', ')}`)
    const { allowed, text, complaint } = await renderFiles({
      file,
      output,
      ...(kubevirt && { kubevirt }),
      ...(objects && { objects }),
    })
    if (text !== undefined) terminal.stdout.write(text)
    if (!allowed) throw new CommandError(complaint ?? `${file} is refused`, refused)
    if (text === undefined) throw new CommandError(complaint ?? `${file} cannot be rendered`)
    return undefined
  },
}
