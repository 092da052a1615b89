import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { answerOf, subresourcePath } from '../client/subresource.ts'
import { pairs, textOf } from '../flags.ts'
import { outputFlag, printed } from '../output.ts'

export const objectGraph: CommandDefinition = {
  name: 'objectgraph',
  arguments: [['name', 'name of the virtual machine']],
  summary: 'Print the objects that a virtual machine is made of and needs.',
  examples: [
    ["Print all objects of 'myvm':", 'objectgraph myvm'],
    ['Only those that hold its data:', 'objectgraph myvm --selector kubevirt.io/dependency-type=storage'],
  ],
  flags: [
    { flags: '--vmi', help: 'the name is that of an instance', default: false },
    { flags: '--exclude-optional', help: 'leave out what the machine would also run without', default: false },
    { flags: '--selector <labels>', help: 'only objects with these labels, as key=value,…' },
    outputFlag('json'),
  ],
  run: async ({ cluster }, [name = ''], flags) => {
    const { client, namespace } = await cluster()
    const selector = textOf(flags, 'selector')
    const body = {
      ...(flags['excludeOptional'] === true && { includeOptionalNodes: false }),
      ...(selector && { labelSelector: { matchLabels: pairs(selector) } }),
    }
    const resource = flags['vmi'] === true ? 'virtualmachineinstances' : 'virtualmachines'
    const path = subresourcePath(namespace, resource, name, 'objectgraph')
    const answer = await client.request({ method: 'GET', path, ...(Object.keys(body).length > 0 && { body }) })
    try {
      return await printed(JSON.parse(answerOf(answer).toString()), flags)
    } catch (error) {
      throw new CommandError(`Error getting the object graph of ${name}: ${(error as Error).message}`)
    }
  },
}
