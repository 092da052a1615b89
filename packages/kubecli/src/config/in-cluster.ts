import { readFile } from 'node:fs/promises'
import type { ClusterConfig } from './cluster-config.ts'

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount'
/** The kubelet replaces the token long before it expires. */
const tokenLifetimeMs = 60_000

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the kubelet mounts the token. */
  readonly directory?: string
}

/** The pod's own service account; undefined outside a pod. */
export async function inClusterConfig(options: InClusterOptions): Promise<ClusterConfig | undefined> {
  const { env, directory = serviceAccount } = options
  const host = env['KUBERNETES_SERVICE_HOST']
  if (host === undefined || host === '') return undefined
  const ca = await readFile(`${directory}/ca.crt`, 'utf8')
  const namespace = await readFile(`${directory}/namespace`, 'utf8')
  const address = host.includes(':') ? `[${host}]` : host
  return {
    server: `https://${address}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`,
    namespace: namespace.trim(),
    tls: { ca },
    authorization: bearerFromFile(`${directory}/token`),
  }
}

/** The Authorization header from a token file, which is read again each minute. */
export function bearerFromFile(file: string): () => Promise<string> {
  let header = ''
  let readAt = -Infinity
  return async () => {
    if (performance.now() - readAt > tokenLifetimeMs) {
      header = `Bearer ${(await readFile(file, 'utf8')).trim()}`
      readAt = performance.now()
    }
    return header
  }
}
