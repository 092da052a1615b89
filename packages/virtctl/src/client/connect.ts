import { readFile } from 'node:fs/promises'
import { createClient, impersonationHeaders, loadConfig } from '@kubevirt-ts/kubecli'
import type { ClusterConfig } from '@kubevirt-ts/kubecli'
import type { Cluster, FlagValues } from '../command.ts'
import { reportedVersion } from '@kubevirt-ts/api'
import { textsOf } from '../flags.ts'
import { CommandError } from '../command.ts'

/** As long as a busy or new virt-api may not answer the server's probe. */
const patienceMs = 20_000

/**
 * Connects to the cluster that flags and kubeconfig choose.
 * @param say tells the user why it takes longer
 */
export async function connect(flags: FlagValues, say: (line: string) => void): Promise<Cluster> {
  const text = (name: string) => flags[name] as string | undefined
  const [kubeconfig, context, namespace, server, cluster, user] = [
    'kubeconfig',
    'context',
    'namespace',
    'server',
    'cluster',
    'user',
  ].map(text)
  const loaded = await loadConfig({
    ...(kubeconfig && { kubeconfig }),
    ...(context && { context }),
    ...(namespace && { namespace }),
    ...(server && { server }),
    ...(cluster && { cluster }),
    ...(user && { user }),
  })
  const config = await overridden(loaded, flags)
  const timeoutMs = requestTimeout(text('requestTimeout'))
  const client = createClient(config, {
    userAgent: `virtctl/${reportedVersion}`,
    ...(timeoutMs !== undefined && { timeoutMs }),
    patience: {
      forMs: patienceMs,
      onWait: (reason) =>
        say(`the API behind the server cannot be reached (${reason}); trying for ${patienceMs / 1000} s`),
    },
  })
  return { client, namespace: config.namespace }
}

async function overridden(config: ClusterConfig, flags: FlagValues): Promise<ClusterConfig> {
  const file = async (name: string) => (flags[name] === undefined ? undefined : readFile(flags[name] as string, 'utf8'))
  const [ca, cert, key] = await Promise.all(['certificateAuthority', 'clientCertificate', 'clientKey'].map(file))
  const servername = flags['tlsServerName'] as string | undefined
  const token = flags['token'] as string | undefined
  const actingAs = impersonationHeaders({
    user: flags['as'] as string | undefined,
    uid: flags['asUid'] as string | undefined,
    groups: textsOf(flags, 'asGroup'),
  })
  const headers = actingAs ?? config.headers
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
    ...(headers && { headers }),
    authorization: () => (token ? Promise.resolve(`Bearer ${token}`) : config.authorization()),
  }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Longer than any request, and the longest that a timer takes. */
const foreverMs = 2 ** 31 - 1

/** Milliseconds of `30s`, `1m` or a plain number of seconds; undefined unless told. Throws for anything else. */
export function requestTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  if (number === undefined) {
    throw new CommandError(`--request-timeout: ${text} is not a time; write for example 30s, or 0 for no limit`)
  }
  return Number(number) === 0 ? foreverMs : Number(number) * unitMs[unit]!
}
