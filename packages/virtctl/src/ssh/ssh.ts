import type { CommandDefinition } from '../command.ts'
import { textOf } from '../flags.ts'
import { hostOf, located, ownProgram, parseGuest, runClient, sshFlags, wayTo } from './local-client.ts'

export const ssh: CommandDefinition = {
  name: 'ssh',
  arguments: [['target', '[user@]kind/name[/namespace], such as alice@vm/myvm']],
  summary: 'Open a SSH connection to a virtual machine, with the local ssh.',
  examples: [
    ["Log in to 'myvm' as alice:", 'ssh alice@vm/myvm'],
    ['Run one command there:', 'ssh alice@vm/myvm --command "uname -a"'],
    [
      'With a key, and without asking about the host key:',
      'ssh alice@vm/myvm -i ~/.ssh/lab -t "-o StrictHostKeyChecking=no"',
    ],
  ],
  flags: [...sshFlags, { flags: '-c, --command <command>', help: 'command to run in the guest' }],
  run: async (context, [target = ''], flags) => {
    const guest = await located(parseGuest(target, flags), context)
    const command = textOf(flags, 'command')
    const args = [...wayTo(guest, flags, ownProgram()), `${guest.user}@${hostOf(guest)}`]
    return runClient('ssh', command ? [...args, command] : args)
  },
}
