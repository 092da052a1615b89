import { CommandError } from '../command.ts'
import type { CommandDefinition, FlagValues } from '../command.ts'
import { neededText, parameters, repeated, textOf, textsOf } from '../flags.ts'
import { yaml } from '../output.ts'
import { suffix } from '../random.ts'

const types: Readonly<Record<string, { readonly apiGroup: string; readonly kind: string }>> = {
  vm: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine' },
  virtualmachine: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine' },
  snapshot: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot' },
  virtualmachinesnapshot: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot' },
}

export const createClone: CommandDefinition = {
  name: 'create clone',
  summary: 'Print a manifest that clones a virtual machine.',
  examples: [
    ["Clone 'myvm':", 'create clone --source-name myvm --target-name copy | kubectl create -f -'],
    [
      'Clone a snapshot, without some labels:',
      "create clone --source-name snap --source-type snapshot --label-filter '*' --label-filter '!team/*'",
    ],
  ],
  flags: [
    { flags: '--name <name>', help: 'name of the clone request; made up unless told' },
    { flags: '--source-name <name>', help: 'what is cloned; required' },
    { flags: '--source-type <type>', help: 'vm or snapshot', default: 'vm' },
    { flags: '--target-name <name>', help: 'name of the new machine; made up unless told' },
    { flags: '--target-type <type>', help: 'vm', default: 'vm' },
    {
      flags: '--label-filter <filter>',
      help: 'labels to take over, such as * or !key; may be given more than once',
      parse: repeated,
    },
    { flags: '--annotation-filter <filter>', help: 'the same for annotations', parse: repeated },
    { flags: '--template-label-filter <filter>', help: 'the same for the labels of the template', parse: repeated },
    {
      flags: '--template-annotation-filter <filter>',
      help: 'the same for the annotations of the template',
      parse: repeated,
    },
    {
      flags: '--new-mac-address <pair>',
      help: 'interface:address of the new machine; may be given more than once',
      parse: repeated,
    },
    { flags: '--new-smbios-serial <serial>', help: 'serial number of the new machine' },
  ],
  run: async (_, __, flags) => yaml(cloneOf(flags)),
}

function cloneOf(flags: FlagValues): object {
  const source = { ...typeOf(flags, 'sourceType', 'source-type'), name: neededText(flags, 'sourceName', 'source-name') }
  const [targetName, serial] = [textOf(flags, 'targetName'), textOf(flags, 'newSmbiosSerial')]
  const addresses = Object.assign({}, ...textsOf(flags, 'newMacAddress').map(address)) as Record<string, string>
  const [labels, annotations, templateLabels, templateAnnotations] = [
    'labelFilter',
    'annotationFilter',
    'templateLabelFilter',
    'templateAnnotationFilter',
  ].map((name) => textsOf(flags, name)) as [readonly string[], readonly string[], readonly string[], readonly string[]]
  const template = {
    ...(templateLabels.length > 0 && { labelFilters: templateLabels }),
    ...(templateAnnotations.length > 0 && { annotationFilters: templateAnnotations }),
  }
  return {
    apiVersion: 'clone.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClone',
    metadata: { name: textOf(flags, 'name') ?? `clone-${suffix()}` },
    spec: {
      source,
      ...(targetName && { target: { ...typeOf(flags, 'targetType', 'target-type'), name: targetName } }),
      ...(labels.length > 0 && { labelFilters: labels }),
      ...(annotations.length > 0 && { annotationFilters: annotations }),
      ...(Object.keys(template).length > 0 && { template }),
      ...(Object.keys(addresses).length > 0 && { newMacAddresses: addresses }),
      ...(serial && { newSMBiosSerial: serial }),
    },
  }
}

function typeOf(flags: FlagValues, name: string, flag: string) {
  const word = textOf(flags, name)?.toLowerCase() ?? ''
  const type = types[word]
  if (type) return type
  throw new CommandError(`failed to parse "--${flag}" flag: ${word} is not known; use vm or snapshot`)
}

/** `interface:address`, of which the address has colons of its own. */
function address(text: string): Readonly<Record<string, string>> {
  const [name = ''] = text.split(':')
  return parameters(text, [name], 'new-mac-address')
}
