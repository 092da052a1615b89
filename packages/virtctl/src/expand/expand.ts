import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { answerOf, getSubresource } from '../client/subresource.ts'
import { textOf } from '../flags.ts'
import { outputFlag, printed } from '../output.ts'

export const expand: CommandDefinition = {
  name: 'expand',
  summary: 'Print a virtual machine with its instance type and preference written into it.',
  examples: [
    ["Expand the stored virtual machine 'myvm':", 'expand --vm myvm'],
    ['Expand one in a file:', 'expand --file vm.yaml --output json'],
  ],
  flags: [
    { flags: '--vm <name>', help: 'name of a stored virtual machine' },
    { flags: '-f, --file <file>', help: 'manifest of a virtual machine; - is standard input' },
    outputFlag('yaml'),
  ],
  run: async ({ cluster, terminal }, _, flags) => {
    const [vm, file] = [textOf(flags, 'vm'), textOf(flags, 'file')]
    if ((vm === undefined) === (file === undefined))
      throw new CommandError(
        'error invalid arguments - VirtualMachine name or file must be provided: use one of --vm and --file',
      )
    const connected = await cluster()
    const refused = (error: Error): never => {
      throw new CommandError(`error expanding VirtualMachine - ${vm ?? file}: ${error.message}`)
    }
    if (vm) return printed(await getSubresource(connected, 'virtualmachines', vm, 'expand-spec').catch(refused), flags)
    const manifest = file === '-' ? await readAll(terminal.stdin) : await readFile(file!, 'utf8').catch(refused)
    const { parse } = await import('yaml')
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(connected.namespace)}/expand-vm-spec`
    const answer = await connected.client.request({ method: 'PUT', path, body: parse(manifest) as object })
    try {
      return await printed(JSON.parse(answerOf(answer).toString()), flags)
    } catch (error) {
      return refused(error as Error)
    }
  },
}
