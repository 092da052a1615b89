import type { Flag } from '../command.ts'
import { repeated } from '../flags.ts'

/** kubectl's flags for choosing a cluster; every command takes them, before or after its name. */
export const clusterFlags: readonly Flag[] = [
  { flags: '--kubeconfig <file>', help: 'kubeconfig file to use instead of $KUBECONFIG or ~/.kube/config' },
  { flags: '--context <name>', help: 'context of the kubeconfig file' },
  { flags: '--cluster <name>', help: 'cluster of the kubeconfig file, if not the context’s' },
  { flags: '--user <name>', help: 'user of the kubeconfig file, if not the context’s' },
  { flags: '-n, --namespace <name>', help: 'namespace of the object, if not the context’s' },
  { flags: '-s, --server <url>', help: 'address and port of the API server' },
  { flags: '--token <token>', help: 'bearer token for the API server' },
  { flags: '--as <name>', help: 'user to act as' },
  { flags: '--as-group <group>', help: 'group to act as; may be given more than once', parse: repeated },
  { flags: '--as-uid <uid>', help: 'UID to act as' },
  {
    flags: '--request-timeout <time>',
    help: 'how long a single request may take, such as 30s; 0 is as long as it takes',
  },
  { flags: '--certificate-authority <file>', help: 'certificate of the authority that the API server is trusted by' },
  { flags: '--client-certificate <file>', help: 'client certificate for TLS' },
  { flags: '--client-key <file>', help: 'key of the client certificate' },
  { flags: '--tls-server-name <name>', help: 'name that the API server’s certificate must have' },
  { flags: '--insecure-skip-tls-verify', help: 'do not verify the API server’s certificate; insecure' },
]
