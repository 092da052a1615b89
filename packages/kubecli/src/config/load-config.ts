import type { ClusterConfig } from './cluster-config.ts'

export interface LoadConfigOptions {
  /** A kubeconfig file; without it `KUBECONFIG`, the pod's service account, then `~/.kube/config`. */
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: string
  /** Replaces the API server's address. */
  readonly server?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Finds the cluster to talk to. Throws an error that names the files looked at and what to do when there is none. */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  throw new Error(`not written yet: ${options.kubeconfig}`)
}
