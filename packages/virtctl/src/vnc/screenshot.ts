import { writeFile } from 'node:fs/promises'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { answerOf, subresourcePath } from '../client/subresource.ts'
import { neededText } from '../flags.ts'

export const screenshot: CommandDefinition = {
  name: 'vnc screenshot',
  arguments: [['vmi', 'name of the virtual machine instance']],
  summary: 'Take a picture of the screen of a virtual machine instance.',
  examples: [
    ["Save the screen of 'testvmi':", 'vnc screenshot testvmi --file screen.png'],
    ['Wake the screen up before, and write to standard output:', 'vnc screenshot testvmi --move-cursor --file -'],
  ],
  flags: [
    { flags: '-f, --file <file>', help: 'where to write the PNG; - is standard output; required' },
    { flags: '-m, --move-cursor', help: 'move the pointer first, which ends most screen savers', default: false },
  ],
  run: async ({ cluster, terminal }, [vmi = ''], flags) => {
    const file = neededText(flags, 'file', 'file')
    const { client, namespace } = await cluster()
    const path = subresourcePath(namespace, 'virtualmachineinstances', vmi, 'vnc/screenshot')
    const query = { moveCursor: flags['moveCursor'] === true }
    try {
      const image = answerOf(await client.request({ method: 'GET', path, query, headers: { Accept: 'image/png' } }))
      if (file === '-') terminal.stdout.write(image)
      else await writeFile(file, image)
    } catch (error) {
      throw new CommandError(`Can't take a screenshot of VMI ${vmi}: ${(error as Error).message}`)
    }
    return undefined
  },
}
