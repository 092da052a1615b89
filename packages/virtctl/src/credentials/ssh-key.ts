import { readFile } from 'node:fs/promises'
import { secrets, virtualMachines } from '@kubevirt-ts/api'
import type { AccessCredential, VirtualMachine } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition, Flag, FlagValues } from '../command.ts'
import { neededText, textOf } from '../flags.ts'
import { suffix } from '../random.ts'
import { base64, changeable, chosenSecret, credentialFlags, credentialsOf, fetchVm, patchSecret } from './secret.ts'

const keyFlags: readonly Flag[] = [
  { flags: '-f, --file <file>', help: 'file with the public key' },
  { flags: '--value <key>', help: 'the public key itself' },
]

export const addSshKey: CommandDefinition = {
  name: 'credentials add-ssh-key',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Let the holder of a key log in to a virtual machine.',
  examples: [
    [
      "Add a key for alice to the secret of 'myvm':",
      'credentials add-ssh-key myvm --user alice --file ~/.ssh/id_rsa.pub',
    ],
    [
      'Make a new secret for it, which takes effect at the next start:',
      'credentials add-ssh-key myvm --user alice --value "ssh-ed25519 AAAA…" --create-secret',
    ],
  ],
  flags: [
    ...credentialFlags,
    ...keyFlags,
    {
      flags: '--create-secret',
      help: 'put the key into a new secret and add that to the virtual machine',
      default: false,
    },
    {
      flags: '--update-secret',
      help: 'put the key into a secret that the virtual machine has; so it is unless told',
      default: false,
    },
  ],
  run: async ({ cluster }, [name = ''], flags) => {
    const user = neededText(flags, 'user', 'user')
    const key = await keyOf(flags)
    if (flags['createSecret'] === true && flags['updateSecret'] === true) {
      throw new CommandError('--create-secret and --update-secret exclude each other')
    }
    const connected = await cluster()
    const vm = await fetchVm(connected, name)
    if (flags['createSecret'] === true) return createSecret(connected, vm, user, key, flags)
    const secret = await changeable(connected, chosenSecret(namesFor(vm, user), flags, name, `user ${user}`), vm, flags)
    await patchSecret(connected, secret.metadata.name, { [`ssh-key-${suffix()}`]: base64(key) })
    return `Successfully added SSH key to secret ${secret.metadata.name} of VM ${name}`
  },
}

export const removeSshKey: CommandDefinition = {
  name: 'credentials remove-ssh-key',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Take the right to log in to a virtual machine from the holder of a key.',
  examples: [
    ["Remove a key of alice from 'myvm':", 'credentials remove-ssh-key myvm --user alice --file ~/.ssh/id_rsa.pub'],
  ],
  flags: [...credentialFlags, ...keyFlags],
  run: async ({ cluster }, [name = ''], flags) => {
    const user = neededText(flags, 'user', 'user')
    const key = await keyOf(flags)
    const connected = await cluster()
    const vm = await fetchVm(connected, name)
    const all = namesFor(vm, user)
    const wanted = textOf(flags, 'secret')
    const names = wanted === undefined ? all : [chosenSecret(all, flags, name, `user ${user}`)]
    if (names.length === 0) throw new CommandError(`no secrets specified for user ${user} in ${name}`)
    let removed = 0
    for (const each of names) removed += await removeFrom(connected, each, vm, key, flags)
    if (removed === 0) throw new CommandError(`the key is in none of the secrets ${names.join(', ')} of VM ${name}`)
    return `Successfully removed SSH key from VM ${name}`
  },
}

async function removeFrom(
  cluster: Cluster,
  name: string,
  vm: VirtualMachine,
  key: string,
  flags: FlagValues,
): Promise<number> {
  const { data = {} } = await changeable(cluster, name, vm, flags)
  const found = Object.keys(data).filter((each) => Buffer.from(data[each]!, 'base64').toString().trim() === key)
  if (found.length > 0) await patchSecret(cluster, name, Object.fromEntries(found.map((each) => [each, null])))
  return found.length
}

async function keyOf(flags: FlagValues): Promise<string> {
  const [file, value] = [textOf(flags, 'file'), textOf(flags, 'value')]
  if ((file === undefined) === (value === undefined)) throw new CommandError('one of --file and --value is needed')
  const text =
    value ??
    (await readFile(file!, 'utf8').catch((error: Error) => {
      throw new CommandError(`the key can not be read: ${error.message}`)
    }))
  return text.trim()
}

/** Secrets that hold keys of the user, by the guest agent or for all users of cloud-init. */
function namesFor(vm: VirtualMachine, user: string): string[] {
  return credentialsOf(vm).flatMap(({ sshPublicKey }) => {
    const secret = sshPublicKey?.source?.secret?.secretName
    const agent = sshPublicKey?.propagationMethod?.qemuGuestAgent
    return secret && (!agent || (agent.users ?? []).includes(user)) ? [secret] : []
  })
}

async function createSecret(
  cluster: Cluster,
  vm: VirtualMachine,
  user: string,
  key: string,
  flags: FlagValues,
): Promise<string> {
  const { client, namespace } = cluster
  const { name: vmName, uid = '' } = vm.metadata
  const name = textOf(flags, 'secret') ?? `${vmName}-ssh-key-${suffix()}`
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: vmName, uid }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, ownerReferences: [owner] },
    data: { [`ssh-key-${suffix()}`]: base64(key) },
  }
  await client.create(secrets, secret).catch((error: Error) => {
    throw new CommandError(`error creating secret ${name}: ${error.message}`)
  })
  const credential: AccessCredential = {
    sshPublicKey: {
      source: { secret: { secretName: name } },
      propagationMethod: { qemuGuestAgent: { users: [user] } },
    },
  }
  const path = '/spec/template/spec/accessCredentials'
  const old = vm.spec.template?.spec?.accessCredentials
  const patch = [
    { op: 'test', path, value: old ?? null },
    { op: 'add', path, value: [...(old ?? []), credential] },
  ]
  await client.patch(virtualMachines, { namespace, name: vmName }, patch, { type: 'json' }).catch((error: Error) => {
    throw new CommandError(`error patching VM ${vmName}: ${error.message}`)
  })
  return `Successfully added SSH key in new secret ${name} to VM ${vmName}; restart the VM to make it take effect`
}
