import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { neededText } from '../flags.ts'
import { base64, changeable, chosenSecret, credentialFlags, credentialsOf, fetchVm, patchSecret } from './secret.ts'

export const setPassword: CommandDefinition = {
  name: 'credentials set-password',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Set the password of a user of a virtual machine.',
  examples: [["Set alice's password in 'myvm':", 'credentials set-password myvm --user alice --password secret']],
  flags: [...credentialFlags, { flags: '-p, --password <password>', help: 'the new password; required' }],
  run: async ({ cluster }, [name = ''], flags) => {
    const user = neededText(flags, 'user', 'user')
    const password = neededText(flags, 'password', 'password')
    if (!/^[A-Za-z0-9._-]+$/.test(user))
      throw new CommandError(`user ${user} can not be the key of a secret: use letters, digits, ., - and _`)
    const connected = await cluster()
    const vm = await fetchVm(connected, name)
    const names = credentialsOf(vm).flatMap(({ userPassword }) => userPassword?.source?.secret?.secretName ?? [])
    const secret = await changeable(connected, chosenSecret(names, flags, name, 'passwords'), vm, flags)
    await patchSecret(connected, secret.metadata.name, { [user]: base64(password) })
    return `Successfully set password of user ${user} in secret ${secret.metadata.name} of VM ${name}`
  },
}
