import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { providerAuthorization, type AuthProvider } from './auth-provider.ts'
import { impersonationHeaders, type ClusterConfig, type ClusterTls } from './cluster-config.ts'
import { withExecPlugin, type ExecPlugin } from './exec-plugin.ts'
import { bearerFromFile } from './in-cluster.ts'

interface Cluster {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
}

interface User {
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly exec?: ExecPlugin | null
  readonly 'auth-provider'?: AuthProvider | null
  readonly as?: string
  readonly 'as-uid'?: string
  readonly 'as-groups'?: readonly string[]
}

interface Context {
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
}

type Named<K extends string, V> = { readonly name: string; readonly file: string } & { readonly [key in K]?: V }

interface KubeConfigFile {
  readonly 'current-context'?: string
  readonly clusters?: readonly Named<'cluster', Cluster>[]
  readonly contexts?: readonly Named<'context', Context>[]
  readonly users?: readonly Named<'user', User>[]
}

export interface KubeConfigOptions {
  /** As in `KUBECONFIG`: of entries with the same name the first wins. Files that do not exist are skipped. */
  readonly files: readonly string[]
  readonly context?: string
  /** Instead of the context's own. */
  readonly cluster?: string
  readonly user?: string
}

/** A context of kubeconfig files. Throws an error that names the file and the entry that is missing. */
export async function kubeConfig(options: KubeConfigOptions): Promise<ClusterConfig> {
  const { files, context } = options
  const loaded = await readFiles(files)
  const name = context ?? loaded.find((file) => file['current-context'])?.['current-context']
  if (name === undefined) throw new Error(`${files.join(', ')}: no current-context is set; choose one with --context`)
  const where = files.join(', ')
  const chosen = find(
    'context',
    name,
    loaded.flatMap((file) => file.contexts ?? []),
    where,
  )
  const cluster = find(
    'cluster',
    options.cluster ?? chosen.context?.cluster,
    loaded.flatMap((file) => file.clusters ?? []),
    where,
  )
  const user = find(
    'user',
    options.user ?? chosen.context?.user,
    loaded.flatMap((file) => file.users ?? []),
    where,
  )
  const server = cluster.cluster?.server
  if (server === undefined) throw new Error(`${cluster.file}: cluster "${cluster.name}" has no server`)
  const { as, 'as-uid': uid, 'as-groups': groups } = user.user ?? {}
  const headers = impersonationHeaders({ user: as, uid, groups })
  const config = {
    server: server.replace(/\/$/, ''),
    namespace: chosen.context?.namespace ?? 'default',
    tls: { ...(await trust(cluster)), ...(await clientCertificate(user)) },
    authorization: authorization(user),
    ...(headers && { headers }),
  }
  return user.user?.exec ? withExecPlugin(config, user.user.exec, dirname(user.file)) : config
}

async function readFiles(files: readonly string[]): Promise<KubeConfigFile[]> {
  const loaded: KubeConfigFile[] = []
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && files.length > 1) return undefined
      throw new Error(`kubeconfig ${file} cannot be read: ${error.message}`, { cause: error })
    })
    if (text !== undefined) loaded.push(withFile(parseFile(text, file), file))
  }
  return loaded
}

function parseFile(text: string, file: string): KubeConfigFile {
  try {
    const parsed: unknown = parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch (cause) {
    throw new Error(`kubeconfig ${file} is not YAML: ${(cause as Error).message}`, { cause })
  }
  throw new Error(`kubeconfig ${file} is empty or not a map`)
}

/** Relative paths in an entry are relative to the file that holds it. */
function withFile(config: KubeConfigFile, file: string): KubeConfigFile {
  return {
    ...config,
    clusters: (config.clusters ?? []).map((entry) => ({ ...entry, file })),
    contexts: (config.contexts ?? []).map((entry) => ({ ...entry, file })),
    users: (config.users ?? []).map((entry) => ({ ...entry, file })),
  }
}

function find<E extends { readonly name: string }>(
  kind: string,
  name: string | undefined,
  entries: readonly E[],
  where: string,
): E {
  const entry = entries.find((each) => each.name === name)
  if (entry !== undefined) return entry
  const known = entries.map((each) => each.name).join(', ') || 'none'
  throw new Error(`${where}: there is no ${kind} "${name ?? ''}"; there are: ${known}`)
}

async function trust({ cluster = {}, file }: Named<'cluster', Cluster>): Promise<ClusterTls> {
  const ca = await pem(cluster['certificate-authority-data'], cluster['certificate-authority'], file)
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cluster['tls-server-name'] === undefined ? {} : { servername: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  }
}

async function clientCertificate({ user = {}, file }: Named<'user', User>): Promise<ClusterTls> {
  const cert = await pem(user['client-certificate-data'], user['client-certificate'], file)
  const key = await pem(user['client-key-data'], user['client-key'], file)
  return cert === undefined || key === undefined ? {} : { cert, key }
}

async function pem(data: string | undefined, path: string | undefined, file: string): Promise<string | undefined> {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString()
  return path === undefined || path === '' ? undefined : readFile(resolve(dirname(file), path), 'utf8')
}

function authorization({ user = {}, file }: Named<'user', User>): ClusterConfig['authorization'] {
  if (user.tokenFile !== undefined) return bearerFromFile(resolve(dirname(file), user.tokenFile))
  if (user.token !== undefined) return async () => `Bearer ${user.token}`
  const provider = user['auth-provider']
  if (provider) return async () => providerAuthorization(provider)
  if (user.username === undefined) return async () => undefined
  const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
  return async () => `Basic ${basic}`
}
