import { secrets, virtualMachines } from '@kubevirt-ts/api'
import type { AccessCredential, Secret, VirtualMachine } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { Cluster, Flag, FlagValues } from '../command.ts'
import { textOf } from '../flags.ts'

export const credentialFlags: readonly Flag[] = [
  { flags: '-u, --user <user>', help: 'user of the guest; required' },
  { flags: '--secret <name>', help: 'secret to use, if the virtual machine has more than one' },
  { flags: '--force', help: 'also change a secret that the virtual machine does not own', default: false },
]

export async function fetchVm({ client, namespace }: Cluster, name: string): Promise<VirtualMachine> {
  return client.get(virtualMachines, { namespace, name }).catch((error: Error) => {
    throw new CommandError(`error getting virtual machine ${name}: ${error.message}`)
  })
}

export const credentialsOf = (vm: VirtualMachine): readonly AccessCredential[] =>
  vm.spec.template?.spec?.accessCredentials ?? []

/** The one secret among `names`, or the flag's if it is among them. Throws when it is not clear which. */
export function chosenSecret(names: readonly string[], flags: FlagValues, vm: string, what: string): string {
  const wanted = textOf(flags, 'secret')
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted
    throw new CommandError(`secret ${wanted} is not used by ${vm} for ${what}; it uses ${names.join(', ') || 'none'}`)
  }
  const [only, ...others] = [...new Set(names)]
  if (only === undefined)
    throw new CommandError(`no secrets specified for ${what} in ${vm}: its template needs accessCredentials`)
  if (others.length > 0)
    throw new CommandError(`${vm} has multiple secrets for ${what}: choose one of ${names.join(', ')} with --secret`)
  return only
}

/** Reads a secret that may be changed: one of the VM's own, or any by force. */
export async function changeable(
  { client, namespace }: Cluster,
  name: string,
  vm: VirtualMachine,
  flags: FlagValues,
): Promise<Secret> {
  const secret = await client.get(secrets, { namespace, name }).catch((error: Error) => {
    throw new CommandError(`error getting secret ${name}: ${error.message}`)
  })
  const owned = secret.metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid)
  if (owned || flags['force'] === true) return secret
  throw new CommandError(
    `secret ${name} does not have an owner reference pointing to VM ${vm.metadata.name}: others may use it too; change it with --force`,
  )
}

/** Sets keys of a secret (in base64), and removes those that are null. */
export async function patchSecret(
  { client, namespace }: Cluster,
  name: string,
  data: Readonly<Record<string, string | null>>,
): Promise<void> {
  await client.patch(secrets, { namespace, name }, { data }, { type: 'merge' }).catch((error: Error) => {
    throw new CommandError(`error patching secret ${name}: ${error.message}`)
  })
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
