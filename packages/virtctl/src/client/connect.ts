import { readFile } from 'node:fs/promises'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { ClusterConfig } from '@kubevirt-ts/kubecli'
import type { Cluster, Flag, FlagValues } from '../command.ts'
import { reportedVersion } from '@kubevirt-ts/api'

/** kubectl's flags for choosing a cluster; every command takes them, before or after its name. */
export const clusterFlags: readonly Flag[] = [
  { flags: '--kubeconfig <file>', help: 'kubeconfig file to use instead of $KUBECONFIG or ~/.kube/config' },
  { flags: '--context <name>', help: 'context of the kubeconfig file' },
  { flags: '-n, --namespace <name>', help: 'namespace of the object, if not the context’s' },
  { flags: '-s, --server <url>', help: 'address and port of the API server' },
  { flags: '--token <token>', help: 'bearer token for the API server' },
  { flags: '--certificate-authority <file>', help: 'certificate of the authority that the API server is trusted by' },
  { flags: '--client-certificate <file>', help: 'client certificate for TLS' },
  { flags: '--client-key <file>', help: 'key of the client certificate' },
  { flags: '--tls-server-name <name>', help: 'name that the API server’s certificate must have' },
  { flags: '--insecure-skip-tls-verify', help: 'do not verify the API server’s certificate; insecure' },
]

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
