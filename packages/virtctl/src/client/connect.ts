import { readFile } from 'node:fs/promises'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { ClusterConfig } from '@kubevirt-ts/kubecli'
import type { Cluster, FlagValues } from '../command.ts'
import { reportedVersion } from '@kubevirt-ts/api'

/** Connects to the cluster that flags and kubeconfig choose. */
export async function connect(flags: FlagValues): Promise<Cluster> {
  const text = (name: string) => flags[name] as string | undefined
  const [kubeconfig, context, namespace, server] = ['kubeconfig', 'context', 'namespace', 'server'].map(text)
  const loaded = await loadConfig({
    ...(kubeconfig && { kubeconfig }),
    ...(context && { context }),
    ...(namespace && { namespace }),
    ...(server && { server }),
  })
  const config = await overridden(loaded, flags)
  return { client: createClient(config, { userAgent: `virtctl/${reportedVersion}` }), namespace: config.namespace }
}

async function overridden(config: ClusterConfig, flags: FlagValues): Promise<ClusterConfig> {
  const file = async (name: string) => (flags[name] === undefined ? undefined : readFile(flags[name] as string, 'utf8'))
  const [ca, cert, key] = await Promise.all(['certificateAuthority', 'clientCertificate', 'clientKey'].map(file))
  const servername = flags['tlsServerName'] as string | undefined
  const token = flags['token'] as string | undefined
  return {
    server: config.server,
    namespace: config.namespace,
    tls: {
      ...config.tls,
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername && { servername }),
      ...(flags['insecureSkipTlsVerify'] === true && { rejectUnauthorized: false }),
    },
    authorization: () => (token ? Promise.resolve(`Bearer ${token}`) : config.authorization()),
  }
}
