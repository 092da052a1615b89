import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { ClusterConfig } from './cluster-config.ts'

/** The part of a kubeconfig user that names a credential plugin. */
export interface ExecPlugin {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly provideClusterInfo?: boolean
  readonly installHint?: string
}

/** What a plugin prints (client.authentication.k8s.io). */
interface Credential {
  readonly token?: string
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
  readonly expirationTimestamp?: string
}

/** A credential that is about to expire is asked for again. */
const marginMs = 10_000

/**
 * Credentials from the user's exec plugin: it is run now, and again when its token expires. `directory` is that of the
 * kubeconfig file, to which a plugin's path is relative. Throws an error that names the plugin when it gives none.
 */
export async function withExecPlugin(
  config: ClusterConfig,
  plugin: ExecPlugin,
  directory: string,
): Promise<ClusterConfig> {
  let credential = await ask(plugin, config, directory)
  const { clientCertificateData: cert, clientKeyData: key } = credential
  return {
    ...config,
    tls: { ...config.tls, ...(cert !== undefined && key !== undefined ? { cert, key } : {}) },
    authorization: async () => {
      if (hasExpired(credential)) credential = await ask(plugin, config, directory)
      return credential.token === undefined ? undefined : `Bearer ${credential.token}`
    },
  }
}

const hasExpired = ({ expirationTimestamp }: Credential): boolean =>
  expirationTimestamp !== undefined && Date.parse(expirationTimestamp) - marginMs < Date.now()

async function ask(plugin: ExecPlugin, config: ClusterConfig, directory: string): Promise<Credential> {
  const { command } = plugin
  if (!command) throw new Error('the kubeconfig user has an exec plugin without a command')
  const credential = credentialIn(await output(plugin, command, config, directory), plugin, command)
  if (credential.token === undefined && credential.clientCertificateData === undefined) {
    throw new Error(`exec plugin ${command} gave neither a token nor a client certificate`)
  }
  return credential
}

async function output(plugin: ExecPlugin, command: string, config: ClusterConfig, directory: string): Promise<string> {
  const file = command.includes('/') ? resolve(directory, command) : command
  const env = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]))
  try {
    const run = promisify(execFile)(file, [...(plugin.args ?? [])], {
      env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, config)) },
    })
    run.child.stdin?.end()
    return (await run).stdout
  } catch (cause) {
    const { code, stderr } = cause as { code?: number | string; stderr?: string }
    const why = code === 'ENOENT' ? 'is not installed' : `failed (${code}): ${stderr?.trim()}`
    throw new Error(`exec plugin ${command} ${why}${plugin.installHint ? `\n${plugin.installHint}` : ''}`, { cause })
  }
}

/** What a plugin is told: no question can be answered, and which cluster the credentials are for. */
function execInfo({ apiVersion, provideClusterInfo }: ExecPlugin, { server, tls }: ClusterConfig): unknown {
  const cluster = {
    server,
    ...(tls.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(tls.servername === undefined ? {} : { 'tls-server-name': tls.servername }),
    ...(tls.rejectUnauthorized === false ? { 'insecure-skip-tls-verify': true } : {}),
  }
  const spec = { interactive: false, ...(provideClusterInfo === true ? { cluster } : {}) }
  return { apiVersion, kind: 'ExecCredential', spec }
}

function credentialIn(text: string, { apiVersion }: ExecPlugin, command: string): Credential {
  const answer = parsed(text, command)
  if (answer.apiVersion !== apiVersion) {
    throw new Error(`exec plugin ${command} speaks ${answer.apiVersion}, the kubeconfig expects ${apiVersion}`)
  }
  return answer.status ?? {}
}

function parsed(text: string, command: string): { readonly apiVersion?: string; readonly status?: Credential } {
  try {
    return JSON.parse(text) as { apiVersion?: string; status?: Credential }
  } catch (cause) {
    throw new Error(`exec plugin ${command} did not print an ExecCredential`, { cause })
  }
}
