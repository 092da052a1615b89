import { spawn } from 'node:child_process'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../command.ts'
import type { CommandContext, Flag, FlagValues } from '../command.ts'
import { repeated, textOf, textsOf, wholeNumber } from '../flags.ts'
import { parseTarget, placed } from '../portforward/target.ts'
import type { ForwardTarget } from '../portforward/target.ts'

export const sshFlags: readonly Flag[] = [
  { flags: '-l, --username <user>', help: 'user of the guest; your own name unless told' },
  { flags: '-i, --identity-file <file>', help: 'private key; what ssh chooses unless told' },
  { flags: '-p, --port <port>', help: 'port of SSH in the guest', default: 22, parse: wholeNumber('--port') },
  {
    flags: '--known-hosts <file>',
    help: 'file of known host keys',
    default: join(homedir(), '.ssh', 'kubevirt_known_hosts'),
  },
  {
    flags: '-t, --local-ssh-opts <option>',
    help: 'another option for the local client, such as -t="-o StrictHostKeyChecking=no"',
    parse: repeated,
  },
  { flags: '--local-ssh', help: 'accepted for compatibility: the local client is always used', default: true },
]

export interface Guest extends ForwardTarget {
  /** As in `vm` or `vmi`. */
  readonly kind: string
  readonly user: string
}

/** Reads `[user@]kind/name[/namespace]`; a flag's user gives way to the target's. */
export function parseGuest(text: string, flags: FlagValues): Guest {
  const at = text.lastIndexOf('@')
  const target = text.slice(at + 1)
  const user = at > 0 ? text.slice(0, at) : (textOf(flags, 'username') ?? process.env['USER'] ?? userInfo().username)
  const kind = target.split('/')[0] ?? ''
  return { ...parseTarget(target), kind, user }
}

/** A guest whose namespace is known. */
export interface LocatedGuest extends Guest {
  readonly namespace: string
}

/** The guest with its namespace; the cluster is only asked where the command line does not tell it. */
export async function located(guest: Guest, context: CommandContext): Promise<LocatedGuest> {
  const { namespace } = guest
  return namespace === undefined ? placed(guest, await context.cluster(), context) : { ...guest, namespace }
}

/** The name by which ssh remembers the guest's key. */
export const hostOf = ({ kind, name, namespace }: LocatedGuest): string => `${kind}.${name}.${namespace}`

/** Flags of the local client for the way to the guest; `program` is the command line that starts virtctl. */
export function wayTo(guest: LocatedGuest, flags: FlagValues, program: readonly string[]): string[] {
  const { kind, name, namespace } = guest
  const forward = ['port-forward', '--stdio=true', `${kind}/${name}/${namespace}`, String(flags['port'])]
  const command = [...program, ...clusterArguments(flags), ...forward].map(quoted).join(' ')
  const identity = textOf(flags, 'identityFile')
  return [
    '-o',
    `ProxyCommand=${command}`,
    '-o',
    `UserKnownHostsFile=${String(flags['knownHosts'])}`,
    ...(identity ? ['-i', identity] : []),
    ...textsOf(flags, 'localSshOpts').flatMap(words),
  ]
}

/** The flags that lead to the cluster, as the forwarding virtctl needs them too. */
const clusterFlagNames = {
  kubeconfig: '--kubeconfig',
  context: '--context',
  cluster: '--cluster',
  user: '--user',
  server: '--server',
  token: '--token',
  as: '--as',
  asUid: '--as-uid',
  certificateAuthority: '--certificate-authority',
  clientCertificate: '--client-certificate',
  clientKey: '--client-key',
  tlsServerName: '--tls-server-name',
} as const

function clusterArguments(flags: FlagValues): string[] {
  const given = Object.entries(clusterFlagNames).flatMap(([name, flag]) => {
    const text = textOf(flags, name)
    return text ? [`${flag}=${text}`] : []
  })
  given.push(...textsOf(flags, 'asGroup').map((group) => `--as-group=${group}`))
  return flags['insecureSkipTlsVerify'] === true ? [...given, '--insecure-skip-tls-verify'] : given
}

/** One word for the shell that ssh gives its ProxyCommand to, in which `%` has a meaning of ssh's own. */
const quoted = (word: string): string => {
  const escaped = word.replaceAll('%', '%%')
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(escaped) ? escaped : `'${escaped.replaceAll("'", `'\\''`)}'`
}

/** An option and its value are written in one: `-o Name=value`. */
const words = (option: string): string[] => {
  const at = option.indexOf(' ')
  return at === -1 ? [option] : [option.slice(0, at), option.slice(at + 1)]
}

/** The command line that starts this virtctl again. */
export const ownProgram = (): string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? 'virtctl']

/** Runs the local client on the terminal. Throws with its exit code when that is not 0. */
export async function runClient(program: 'ssh' | 'scp', args: readonly string[]): Promise<undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const client = spawn(program, args, { stdio: 'inherit', env: process.env })
  client.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      new CommandError(
        error.code === 'ENOENT' ? `${program} is not installed here; install OpenSSH's client` : error.message,
      ),
    ),
  )
  client.once('exit', (code) => resolve(code ?? 1))
  const code = await promise
  if (code !== 0) throw new CommandError(`${program} ended with exit code ${code}`, code)
  return undefined
}
