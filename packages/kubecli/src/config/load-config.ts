import { homedir } from 'node:os'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import type { ClusterConfig } from './cluster-config.ts'
import { inClusterConfig } from './in-cluster.ts'

export interface LoadConfigOptions {
  /** A kubeconfig file; without it `KUBECONFIG`, the pod's service account, then `~/.kube/config`. */
  readonly kubeconfig?: string
  readonly context?: string
  /** Entries of the kubeconfig in place of those that the context names. */
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
  /** Replaces the API server's address. */
  readonly server?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Finds the cluster to talk to. Throws an error that names the files looked at and what to do when there is none. */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env
  const config = (await fromNamedFiles(options, env)) ?? (await inClusterConfig({ env })) ?? (await fromHome(options))
  return {
    ...config,
    ...(options.namespace ? { namespace: options.namespace } : {}),
    ...(options.server ? { server: options.server.replace(/\/$/, '') } : {}),
  }
}

async function fromNamedFiles(
  options: LoadConfigOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ClusterConfig | undefined> {
  const files = options.kubeconfig ? [options.kubeconfig] : (env['KUBECONFIG'] ?? '').split(':').filter(Boolean)
  if (files.length === 0) return undefined
  // Loaded here alone: a service in a pod never reads YAML.
  const { kubeConfig } = await import('./kubeconfig.ts')
  return kubeConfig({ files, ...chosenIn(options) })
}

const chosenIn = ({ context, cluster, user }: LoadConfigOptions) => ({
  ...(context ? { context } : {}),
  ...(cluster ? { cluster } : {}),
  ...(user ? { user } : {}),
})

async function fromHome(options: LoadConfigOptions): Promise<ClusterConfig> {
  const file = join(homedir(), '.kube', 'config')
  if (!existsSync(file)) {
    throw new Error(
      `no cluster is known: there is neither ${file} nor a service account; set KUBECONFIG or --kubeconfig`,
    )
  }
  const { kubeConfig } = await import('./kubeconfig.ts')
  return kubeConfig({ files: [file], ...chosenIn(options) })
}
