import { answerOf } from '../client/subresource.ts'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { neededText, textOf } from '../flags.ts'
import { suffix } from '../random.ts'

/** The add-on's, not ours: it makes the template when it is installed. */
const apiVersion = 'template.kubevirt.io/v1beta1'
const kind = 'VirtualMachineTemplateRequest'

export const createTemplate: CommandDefinition = {
  name: 'template create',
  summary: 'Ask KubeVirt’s add-on virt-template for a template of a virtual machine.',
  examples: [["Make a template of 'myvm':", 'template create --vm-name myvm --name fedora']],
  flags: [
    { flags: '--vm-name <name>', help: 'the virtual machine; required' },
    { flags: '--vm-namespace <name>', help: 'its namespace, if it is another one' },
    { flags: '--name <name>', help: 'name of the template; made up unless told' },
  ],
  run: async ({ cluster }, _, flags) => {
    const vmName = neededText(flags, 'vmName', 'vm-name')
    const templateName = textOf(flags, 'name')
    const { client, namespace } = await cluster()
    const body = {
      apiVersion,
      kind,
      metadata: { name: `${vmName}-${suffix()}`, namespace },
      spec: {
        virtualMachineRef: { namespace: textOf(flags, 'vmNamespace') ?? namespace, name: vmName },
        ...(templateName && { templateName }),
      },
    }
    const path = `/apis/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/virtualmachinetemplaterequests`
    const answer = await client.request({ method: 'POST', path, body })
    if (answer.status === 404)
      throw new CommandError(
        'the cluster makes no templates: install KubeVirt’s add-on virt-template, or write one and use virtctl template process -f FILE',
      )
    try {
      answerOf(answer)
    } catch (error) {
      throw new CommandError(`error creating ${kind}: ${(error as Error).message}`)
    }
    return `virtualmachinetemplaterequest.template.kubevirt.io/${body.metadata.name} created`
  },
}
