import type { RequestOptions } from 'node:https'
import { resolve } from 'node:path'
import type { ClusterConfig } from './cluster-config.ts'

/** How long the answer of a plugin is used before it is asked again; it keeps its own expiry behind that. */
const answerLifetimeMs = 60_000

interface PluginUser {
  readonly user: object
  /** Of the kubeconfig file: a plugin's path is relative to it. */
  readonly directory: string
}

/** Credentials from an exec plugin or an auth provider, by the official client, which knows all of them. */
export async function withPlugin(config: ClusterConfig, { user, directory }: PluginUser): Promise<ClusterConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const official = new KubeConfig()
  official.loadFromOptions({
    clusters: [{ name: 'cluster', server: config.server, skipTLSVerify: config.tls.rejectUnauthorized === false }],
    users: [{ name: 'user', ...withAbsoluteCommand(user, directory), authProvider: providerOf(user) }],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  })
  const ask = async () => {
    const options: RequestOptions = {}
    await official.applyToHTTPSOptions(options)
    return options
  }
  const first = await ask()
  const { cert, key } = first as { cert?: string | Buffer; key?: string | Buffer }
  return {
    ...config,
    tls: { ...config.tls, ...(cert && key ? { cert: cert.toString(), key: key.toString() } : {}) },
    authorization: cachedAuthorization(ask),
  }
}

function cachedAuthorization(ask: () => Promise<RequestOptions>): ClusterConfig['authorization'] {
  let header: string | undefined
  let askedAt = -Infinity
  return async () => {
    if (performance.now() - askedAt > answerLifetimeMs) {
      const headers = new Headers(
        Object.entries((await ask()).headers ?? {}).map(([name, value]) => [name, String(value)]),
      )
      header = headers.get('authorization') ?? undefined
      askedAt = performance.now()
    }
    return header
  }
}

function withAbsoluteCommand(user: object, directory: string): object {
  const { exec } = user as { exec?: { command?: string } }
  if (exec?.command === undefined || !exec.command.includes('/')) return user
  return { ...user, exec: { ...exec, command: resolve(directory, exec.command) } }
}

function providerOf(user: object): unknown {
  return (user as { 'auth-provider'?: unknown })['auth-provider']
}
