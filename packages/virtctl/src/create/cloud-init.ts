import { readFileSync } from 'node:fs'
import { CommandError } from '../command.ts'
import type { Flag, FlagValues } from '../command.ts'
import { parameters, repeated, textOf, textsOf } from '../flags.ts'

export const cloudInitFlags: readonly Flag[] = [
  { flags: '--user <user>', help: 'user that cloud-init makes' },
  { flags: '--password-file <file>', help: 'file with the user’s password' },
  { flags: '--ssh-key <key>', help: 'public key that may log in; may be given more than once', parse: repeated },
  { flags: '--ga-manage-ssh', help: 'let the guest agent manage SSH keys', default: false },
  {
    flags: '--access-cred <params>',
    help: 'type:ssh|password, src:SECRET, method:ga|nocloud|configdrive, user:USER',
    parse: repeated,
  },
  { flags: '--cloud-init <source>', help: 'nocloud, configdrive or none' },
  { flags: '--cloud-init-user-data <base64>', help: 'user data of cloud-init, in base64' },
  { flags: '--cloud-init-network-data <base64>', help: 'network data of cloud-init, in base64' },
]

const sources: Readonly<Record<string, string>> = { nocloud: 'cloudInitNoCloud', configdrive: 'cloudInitConfigDrive' }

/** The volume with cloud-init's data; undefined when nothing is to be said to it. */
export async function cloudInitVolume(flags: FlagValues): Promise<object | undefined> {
  const asked = textOf(flags, 'cloudInit')
  if (asked === 'none') return undefined
  const source = sources[asked ?? 'nocloud']
  if (!source)
    throw new CommandError(
      `failed to parse "--cloud-init" flag: ${asked} is not known; use nocloud, configdrive or none`,
    )
  const [userData, networkData] = [textOf(flags, 'cloudInitUserData'), textOf(flags, 'cloudInitNetworkData')]
  const written = await userConfig(flags)
  if (userData && written)
    throw new CommandError('--cloud-init-user-data excludes --user, --password-file, --ssh-key and --ga-manage-ssh')
  const needsVolume = asked !== undefined || credentialMethods(flags).some((method) => method !== 'ga')
  if (!userData && !networkData && !written && !needsVolume) return undefined
  return {
    name: 'cloudinitdisk',
    [source]: {
      ...(userData ? { userDataBase64: userData } : { userData: written ?? '#cloud-config' }),
      ...(networkData && { networkDataBase64: networkData }),
    },
  }
}

async function userConfig(flags: FlagValues): Promise<string | undefined> {
  const [user, passwordFile] = [textOf(flags, 'user'), textOf(flags, 'passwordFile')]
  const keys = textsOf(flags, 'sshKey')
  const manage = flags['gaManageSsh'] === true
  if (!user && !passwordFile && keys.length === 0 && !manage) return undefined
  const { stringify } = await import('yaml')
  const config = {
    ...(user && { user }),
    ...(passwordFile && { password: readPassword(passwordFile), chpasswd: { expire: false } }),
    ...(keys.length > 0 && { ssh_authorized_keys: keys }),
    ...(manage && { runcmd: [['setsebool', '-P', 'virt_qemu_ga_manage_ssh', 'on']] }),
  }
  return `#cloud-config\n${stringify(config, { lineWidth: 0 }).trimEnd()}`
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch (error) {
    throw new CommandError(`the password can not be read: ${(error as Error).message}`)
  }
}

const credentialKeys = ['type', 'src', 'method', 'user']
const methods: Readonly<Record<string, string>> = {
  ga: 'qemuGuestAgent',
  nocloud: 'noCloud',
  configdrive: 'configDrive',
}

const given = (flags: FlagValues) =>
  textsOf(flags, 'accessCred').map((text) => parameters(text, credentialKeys, 'access-cred'))

/** A password can only be set by the guest agent; a key is told by cloud-init unless asked otherwise. */
const methodOf = ({ type, method }: Readonly<Record<string, string>>) =>
  method ?? (type === 'password' ? 'ga' : 'nocloud')

const credentialMethods = (flags: FlagValues) => given(flags).map(methodOf)

/** Secrets whose keys and passwords the guest takes over. */
export function accessCredentials(flags: FlagValues): object[] {
  return given(flags).map((each) => {
    const { type = 'ssh', src, user } = each
    const method = methodOf(each)
    const failed = (message: string) => new CommandError(`failed to parse "--access-cred" flag: ${message}`)
    if (!src) throw failed('src must be specified')
    if (type !== 'ssh' && type !== 'password')
      throw failed(`invalid access credential type ${type}; use ssh or password`)
    if (!methods[method]) throw failed(`invalid method ${method}; use ga, nocloud or configdrive`)
    if (type === 'password' && method !== 'ga') throw failed(`passwords can only be set by method ga, not ${method}`)
    if (type === 'ssh' && method === 'ga' && !user) throw failed('user must be specified with method ga')
    const source = { secret: { secretName: src } }
    const propagationMethod = { [methods[method]]: type === 'ssh' && method === 'ga' ? { users: [user] } : {} }
    return { [type === 'ssh' ? 'sshPublicKey' : 'userPassword']: { source, propagationMethod } }
  })
}
